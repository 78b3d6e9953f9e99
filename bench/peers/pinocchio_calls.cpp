// One of Pinocchio's algorithms; the build says which.
#include "pinocchio.hpp"

#if defined CALL_linearize
#include <pinocchio/algorithm/aba-derivatives.hpp>
void call_linearize(robot &r, const vector &q, const vector &v, const vector &tau)
{
    pinocchio::computeABADerivatives(r.model, r.data, q, v, tau);
}
#elif defined CALL_held
#include <pinocchio/algorithm/constrained-dynamics-derivatives.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
void call_held(robot &r, const vector &q, const vector &v, const vector &tau)
{
    if (r.feet_data.empty()) {
        for (const auto &foot : r.feet) r.feet_data.emplace_back(foot);
        pinocchio::initConstraintDynamics(r.model, r.data, r.feet, r.feet_data);
    }
    pinocchio::constraintDynamics(r.model, r.data, q, v, tau, r.feet, r.feet_data);
    pinocchio::computeConstraintDynamicsDerivatives(r.model, r.data, r.feet, r.feet_data);
}
#elif defined CALL_rnea
#include <pinocchio/algorithm/rnea.hpp>
void call_rnea(robot &r, const vector &q, const vector &v, const vector &a)
{
    pinocchio::rnea(r.model, r.data, q, v, a);
}
#elif defined CALL_aba
#include <pinocchio/algorithm/aba.hpp>
void call_aba(robot &r, const vector &q, const vector &v, const vector &tau)
{
    pinocchio::aba(r.model, r.data, q, v, tau, pinocchio::Convention::LOCAL);
}
#elif defined CALL_crba
#include <pinocchio/algorithm/crba.hpp>
void call_crba(robot &r, const vector &q) // the upper triangle
{
    pinocchio::crba(r.model, r.data, q, pinocchio::Convention::LOCAL);
}
#elif defined CALL_factorization
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
void call_factorization(robot &r, const vector &q)
{
    pinocchio::crba(r.model, r.data, q, pinocchio::Convention::LOCAL);
    pinocchio::cholesky::decompose(r.model, r.data);
}
#elif defined CALL_minv
#include <pinocchio/algorithm/aba.hpp>
void call_minv(robot &r, const vector &q) // theirs is the upper triangle; ours is the matrix
{
    pinocchio::computeMinverse(r.model, r.data, q);
    r.data.Minv.triangularView<Eigen::StrictlyLower>() = r.data.Minv.transpose();
}
#elif defined CALL_forward_kinematics
#include <pinocchio/algorithm/kinematics.hpp>
void call_forward_kinematics(robot &r, const vector &q) { pinocchio::forwardKinematics(r.model, r.data, q); }
#elif defined CALL_jacobians
#include <pinocchio/algorithm/jacobian.hpp>
void call_jacobians(robot &r, const vector &q) { pinocchio::computeJointJacobians(r.model, r.data, q); }
#elif defined CALL_step_linearize
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
/* ν⁺ = ν + h ν̇, q⁺ = q ⊕ h ν⁺: the chain rule block by block, as a solver over Pinocchio writes it */
void call_step_linearize(robot &r, const vector &q, const vector &v, const vector &tau, double h)
{
    const Eigen::Index n = r.model.nv;
    pinocchio::computeABADerivatives(r.model, r.data, q, v, tau);
    r.a = h * (v + h * r.data.ddq);
    pinocchio::integrate(r.model, q, r.a, r.next);
    r.Ad.bottomLeftCorner(n, n) = h * r.data.ddq_dq;
    r.Ad.bottomRightCorner(n, n) = h * r.data.ddq_dv;
    r.Ad.bottomRightCorner(n, n).diagonal().array() += 1;
    r.Bd.bottomRows(n) = h * r.data.Minv.selfadjointView<Eigen::Upper>().toDenseMatrix();
    r.Ad.topRows(n) = h * r.Ad.bottomRows(n);
    r.Bd.topRows(n) = h * r.Bd.bottomRows(n);
    pinocchio::dIntegrateTransport(r.model, q, r.a, r.Ad.topRows(n), pinocchio::ARG1);
    pinocchio::dIntegrateTransport(r.model, q, r.a, r.Bd.topRows(n), pinocchio::ARG1);
    pinocchio::dIntegrate(r.model, q, r.a, r.Ad.topLeftCorner(n, n), pinocchio::ARG0, pinocchio::ADDTO);
}
#elif defined CALL_rnea_derivatives
#include <pinocchio/algorithm/rnea-derivatives.hpp>
void call_rnea_derivatives(robot &r, const vector &q, const vector &v, const vector &a)
{
    pinocchio::computeRNEADerivatives(r.model, r.data, q, v, a);
}
#elif defined CALL_coriolis
#include <pinocchio/algorithm/rnea.hpp>
void call_coriolis(robot &r, const vector &q, const vector &v)
{
    pinocchio::computeCoriolisMatrix(r.model, r.data, q, v);
}
#elif defined CALL_regressor
#include <pinocchio/algorithm/regressor.hpp>
void call_regressor(robot &r, const vector &q, const vector &v, const vector &a)
{
    pinocchio::computeJointTorqueRegressor(r.model, r.data, q, v, a);
}
#elif defined CALL_centroidal
#include <pinocchio/algorithm/centroidal.hpp>
void call_centroidal(robot &r, const vector &q, const vector &v) { pinocchio::dccrba(r.model, r.data, q, v); }
#elif defined CALL_frame_jacobian
#include <pinocchio/algorithm/jacobian.hpp>
void call_frame_jacobian(robot &r, const vector &q) // its pose is in data.iMf[0]
{
    r.J.setZero();
    pinocchio::computeJointJacobian(r.model, r.data, q, static_cast<pinocchio::JointIndex>(r.model.njoints - 1), r.J);
}
#elif defined CALL_com_jacobian
#include <pinocchio/algorithm/center-of-mass.hpp>
void call_com_jacobian(robot &r, const vector &q) { pinocchio::jacobianCenterOfMass(r.model, r.data, q, false); }
#elif defined CALL_gravity
#include <pinocchio/algorithm/rnea-derivatives.hpp>
void call_gravity(robot &r, const vector &q) // G is in data.g
{
    r.Dq.setZero();
    pinocchio::computeGeneralizedGravityDerivatives(r.model, r.data, q, r.Dq);
}
#elif defined CALL_centroidal_derivatives
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
void call_centroidal_derivatives(robot &r, const vector &q, const vector &v, const vector &a)
{
    pinocchio::computeCentroidalDynamicsDerivatives(r.model, r.data, q, v, a, r.momentum[0], r.momentum[1],
                                                    r.momentum[2], r.momentum[3]);
}
#elif defined CALL_frame_rate
#include <pinocchio/algorithm/jacobian.hpp>
void call_frame_rate(robot &r, const vector &q, const vector &v)
{
    const auto last = static_cast<pinocchio::JointIndex>(r.model.njoints - 1);
    pinocchio::computeJointJacobiansTimeVariation(r.model, r.data, q, v);
    for (auto &m : r.frame) m.setZero();
    pinocchio::getJointJacobian(r.model, r.data, last, pinocchio::LOCAL, r.frame[0]);
    pinocchio::getJointJacobianTimeVariation(r.model, r.data, last, pinocchio::LOCAL, r.frame[1]);
}
#elif defined CALL_frame_derivatives
#include <pinocchio/algorithm/kinematics-derivatives.hpp>
void call_frame_derivatives(robot &r, const vector &q, const vector &v, const vector &a)
{
    pinocchio::computeForwardKinematicsDerivatives(r.model, r.data, q, v, a);
    for (auto &m : r.frame) m.setZero();
    pinocchio::getJointAccelerationDerivatives(r.model, r.data, static_cast<pinocchio::JointIndex>(r.model.njoints - 1),
                                               pinocchio::LOCAL, r.frame[0], r.frame[1], r.frame[2], r.frame[3]);
}
#elif defined CALL_com_derivative
#include <pinocchio/algorithm/center-of-mass-derivatives.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
void call_com_derivative(robot &r, const vector &q, const vector &v)
{
    pinocchio::centerOfMass(r.model, r.data, q, v);
    pinocchio::getCenterOfMassVelocityDerivatives(r.model, r.data, r.com);
}
#elif defined CALL_integrate
#include <pinocchio/algorithm/joint-configuration.hpp>
void call_integrate(robot &r, const vector &q, const vector &v, vector &next)
{
    pinocchio::integrate(r.model, q, v, next);
}
#endif
