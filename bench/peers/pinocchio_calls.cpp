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
#elif defined CALL_integrate
#include <pinocchio/algorithm/joint-configuration.hpp>
void call_integrate(robot &r, const vector &q, const vector &v, vector &next)
{
    pinocchio::integrate(r.model, q, v, next);
}
#endif
