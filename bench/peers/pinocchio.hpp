// Pinocchio as a contender. Every algorithm is a unit of its own (pinocchio_calls.cpp, compiled once for
// each), so that none of them shares an optimizer's budget with another.
#ifndef BENCH_PEER_DYNAMICS_PINOCCHIO_HPP
#define BENCH_PEER_DYNAMICS_PINOCCHIO_HPP

#include <vector>

#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>

struct robot {
    pinocchio::Model model;
    pinocchio::Data data;
    std::vector<Eigen::VectorXd> q, v, u; /* their conventions: quaternions end in w */
    Eigen::VectorXd next;                 /* what integrate makes */
    Eigen::VectorXd a, shifted;           /* finite differences */
    Eigen::MatrixXd Dq, Dv, Minv;
    Eigen::MatrixXd Ad, Bd;                          /* of a step */
    pinocchio::Data::Matrix6x J;                     /* of a frame */
    std::vector<pinocchio::Data::Matrix6x> momentum; /* its four derivatives */
    std::vector<pinocchio::Data::Matrix6x> frame;    /* J and J̇ of one, or its four derivatives */
    pinocchio::Data::Matrix3x com;                   /* ∂(its velocity)/∂q */
    std::vector<pinocchio::RigidConstraintModel> feet;
    std::vector<pinocchio::RigidConstraintData> feet_data;

    explicit robot(const pinocchio::Model &m) : model(m), data(model), next(model.nq) {}
};

using vector = Eigen::VectorXd;

void call_linearize(robot &r, const vector &q, const vector &v, const vector &tau);
void call_held(robot &r, const vector &q, const vector &v, const vector &tau); /* the first one sets it up */
void call_rnea(robot &r, const vector &q, const vector &v, const vector &a);
void call_aba(robot &r, const vector &q, const vector &v, const vector &tau);
void call_crba(robot &r, const vector &q);
void call_factorization(robot &r, const vector &q);
void call_minv(robot &r, const vector &q);
void call_forward_kinematics(robot &r, const vector &q);
void call_jacobians(robot &r, const vector &q);
void call_step_linearize(robot &r, const vector &q, const vector &v, const vector &tau, double h);
void call_rnea_derivatives(robot &r, const vector &q, const vector &v, const vector &a);
void call_coriolis(robot &r, const vector &q, const vector &v);
void call_regressor(robot &r, const vector &q, const vector &v, const vector &a);
void call_centroidal(robot &r, const vector &q, const vector &v);
void call_frame_jacobian(robot &r, const vector &q);
void call_com_jacobian(robot &r, const vector &q);
void call_gravity(robot &r, const vector &q);
void call_centroidal_derivatives(robot &r, const vector &q, const vector &v, const vector &a);
void call_frame_rate(robot &r, const vector &q, const vector &v);
void call_frame_derivatives(robot &r, const vector &q, const vector &v, const vector &a);
void call_com_derivative(robot &r, const vector &q, const vector &v);
void call_integrate(robot &r, const vector &q, const vector &v, vector &next);

#endif
