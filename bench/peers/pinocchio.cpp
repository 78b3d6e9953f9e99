// Pinocchio as a contender: the robot in its words, its calls, and its results in ours.
//
// Built twice. As shipped: the algorithms are those of the package's library. Native: the package's headers alone,
// instantiated here for this processor; the library is not even linked.
#include "pinocchio.hpp"

#include "contender.h"

namespace
{

template <class X, class Y, class Z, class U>
pinocchio::JointModel along(const Eigen::Vector3d &axis, const X &x, const Y &y, const Z &z, const U &unaligned)
{
    if (axis == Eigen::Vector3d::UnitX()) return x;
    if (axis == Eigen::Vector3d::UnitY()) return y;
    if (axis == Eigen::Vector3d::UnitZ()) return z;
    return unaligned;
}

/* their special joints where an axis is x, y or z, as their URDF reader does; false: no counterpart */
bool joint_of(const hml_joint_info &j, pinocchio::JointModel &joint)
{
    using namespace pinocchio;
    const Eigen::Vector3d axis(j.axis[0], j.axis[1], j.axis[2]);
    if (j.point[0] != 0 || j.point[1] != 0 || j.point[2] != 0) return false;
    switch (j.type) {
    case HML_JOINT_FREE: joint = JointModelFreeFlyer(); return true;
    case HML_JOINT_SPHERICAL: joint = JointModelSpherical(); return true;
    case HML_JOINT_TRANSLATION3: joint = JointModelTranslation(); return true;
    case HML_JOINT_REVOLUTE:
        joint = along(axis, JointModelRX(), JointModelRY(), JointModelRZ(), JointModelRevoluteUnaligned(axis));
        return true;
    case HML_JOINT_PRISMATIC:
        joint = along(axis, JointModelPX(), JointModelPY(), JointModelPZ(), JointModelPrismaticUnaligned(axis));
        return true;
    case HML_JOINT_HELICAL:
        joint = along(axis, JointModelHX(j.pitch), JointModelHY(j.pitch), JointModelHZ(j.pitch),
                      JointModelHelicalUnaligned(axis, j.pitch));
        return true;
    default: return false;
    }
}

using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using matrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

bool model_of(const bench_robot &robot, pinocchio::Model &model)
{
    std::vector<pinocchio::JointIndex> index;
    model.gravity.linear() = Eigen::Map<const Eigen::Vector3d>(robot.gravity);
    for (size_t i = 0; i < robot.nbodies; i++) {
        const hml_body_info &b = robot.bodies[i];
        const hml_joint_info &j = robot.joints[i];
        pinocchio::JointModel joint;
        if (!joint_of(j, joint)) return false;
        const Eigen::Matrix3d R = Eigen::Map<const matrix3>(j.rotation), I = Eigen::Map<const matrix3>(b.moment);
        const pinocchio::SE3 placement(R, Eigen::Map<const Eigen::Vector3d>(j.position));
        const pinocchio::JointIndex parent = b.parent < 0 ? 0 : index[static_cast<size_t>(b.parent)];
        index.push_back(model.addJoint(parent, joint, placement, j.name));
        model.appendBodyToJoint(index.back(), pinocchio::Inertia(b.mass, Eigen::Map<const Eigen::Vector3d>(b.com), I));
    }
    return true;
}

/* quaternions: w first here, last there */
void turn_quaternions(const pinocchio::Model &model, bool to_ours, double *q)
{
    for (const auto &joint : model.joints) {
        const int size = joint.nq();
        if (size != 7 && size != 4) continue;
        double *first = q + joint.idx_q() + (size - 4);
        std::rotate(first, first + (to_ours ? 3 : 1), first + 4);
    }
}

void *open(const bench_robot *ours)
{
    pinocchio::Model model;
    if (!model_of(*ours, model)) return nullptr;
    robot *r = new robot(model);
    const auto nq = static_cast<Eigen::Index>(ours->nq), nv = static_cast<Eigen::Index>(ours->nv);
    for (Eigen::Index s = 0; s < BENCH_STATES; s++) {
        r->q.push_back(Eigen::Map<const vector>(ours->q + s * nq, nq));
        r->v.push_back(Eigen::Map<const vector>(ours->v + s * nv, nv));
        r->u.push_back(Eigen::Map<const vector>(ours->u + s * nv, nv));
        turn_quaternions(r->model, false, r->q.back().data());
    }
    for (size_t i = 0; i < ours->nfeet; i++) {
        const bench_foot &foot = ours->feet[i];
        const pinocchio::SE3 place(Eigen::Matrix3d::Identity(), Eigen::Map<const Eigen::Vector3d>(foot.position));
        const auto kind = foot.rows == 6 ? pinocchio::CONTACT_6D : pinocchio::CONTACT_3D;
        r->feet.emplace_back(kind, r->model, foot.body + 1, place, pinocchio::LOCAL);
    }
    r->Dq.resize(nv, nv), r->Dv.resize(nv, nv), r->Minv.resize(nv, nv);
    r->Ad.resize(2 * nv, 2 * nv), r->Bd.resize(2 * nv, nv), r->J.resize(6, nv);
    r->momentum.assign(4, pinocchio::Data::Matrix6x::Zero(6, nv));
    r->frame.assign(4, pinocchio::Data::Matrix6x::Zero(6, nv));
    r->com.setZero(3, nv);
    return r;
}

/* forward differences, as long a step as the square root of round-off allows; in τ the dynamics are affine: step 1 */
void differences(robot &r, const vector &q, const vector &v, const vector &tau)
{
    const double step = 1.5e-8;
    call_aba(r, q, v, tau);
    r.a = r.data.ddq;
    for (Eigen::Index i = 0; i < r.model.nv; i++) {
        r.shifted.setZero(r.model.nv);
        r.shifted[i] = step;
        call_integrate(r, q, r.shifted, r.next);
        call_aba(r, r.next, v, tau);
        r.Dq.col(i) = (r.data.ddq - r.a) / step;
        r.shifted = v;
        r.shifted[i] += step;
        call_aba(r, q, r.shifted, tau);
        r.Dv.col(i) = (r.data.ddq - r.a) / step;
        r.shifted = tau;
        r.shifted[i] += 1;
        call_aba(r, q, v, r.shifted);
        r.Minv.col(i) = r.data.ddq - r.a;
    }
}

size_t run(void *self, bench_algorithm algorithm, size_t states)
{
    robot &r = *static_cast<robot *>(self);
    for (size_t k = 0; k < states; k++) {
        const size_t s = k % BENCH_STATES;
        const vector &q = r.q[s], &v = r.v[s], &u = r.u[s];
        switch (algorithm) {
        case BENCH_LINEARIZE: call_linearize(r, q, v, u); break;
        case BENCH_HELD:
            if (r.feet.empty()) return 0;
            call_held(r, q, v, u);
            break;
        case BENCH_DIFFERENCES: differences(r, q, v, u); break;
        case BENCH_INVERSE_DYNAMICS: call_rnea(r, q, v, u); break;
        case BENCH_FORWARD_DYNAMICS: call_aba(r, q, v, u); break;
        case BENCH_MASS_MATRIX: call_crba(r, q); break;
        case BENCH_FACTORIZATION: call_factorization(r, q); break;
        case BENCH_INVERSE_MASS_MATRIX: call_minv(r, q); break;
        case BENCH_KINEMATICS: call_forward_kinematics(r, q); break;
        case BENCH_JACOBIANS: call_jacobians(r, q); break;
        case BENCH_INTEGRATE: call_integrate(r, q, v, r.next); break;
        case BENCH_STEP_LINEARIZE: call_step_linearize(r, q, v, u, BENCH_STEP); break;
        case BENCH_RNEA_DERIVATIVES: call_rnea_derivatives(r, q, v, u); break;
        case BENCH_CORIOLIS: call_coriolis(r, q, v); break;
        case BENCH_REGRESSOR: call_regressor(r, q, v, u); break;
        case BENCH_CENTROIDAL: call_centroidal(r, q, v); break;
        case BENCH_FRAME_JACOBIAN: call_frame_jacobian(r, q); break;
        case BENCH_COM_JACOBIAN: call_com_jacobian(r, q); break;
        case BENCH_GRAVITY: call_gravity(r, q); break;
        case BENCH_CENTROIDAL_DERIVATIVES: call_centroidal_derivatives(r, q, v, u); break;
        case BENCH_FRAME_RATE: call_frame_rate(r, q, v); break;
        case BENCH_FRAME_DERIVATIVES: call_frame_derivatives(r, q, v, u); break;
        case BENCH_COM_DERIVATIVE: call_com_derivative(r, q, v); break;
        default: return 0;
        }
    }
    return states;
}

template <class Matrix> double *append(const Matrix &m, double *out)
{
    Eigen::Map<row_major>(out, m.rows(), m.cols()) = m;
    return out + m.size();
}

/* Y π of their regressor and their parameters */
Eigen::VectorXd torque_of(const robot &r)
{
    Eigen::VectorXd parameters(10 * (r.model.njoints - 1));
    for (int i = 1; i < r.model.njoints; i++)
        parameters.segment<10>(10 * (i - 1)) = r.model.inertias[static_cast<size_t>(i)].toDynamicParameters();
    return r.data.jointTorqueRegressor * parameters;
}

int result(void *self, bench_algorithm algorithm, double *out)
{
    robot &r = *static_cast<robot *>(self);
    const pinocchio::Data &d = r.data;
    switch (algorithm) {
    case BENCH_LINEARIZE: append(d.Minv, append(d.ddq_dv, append(d.ddq_dq, append(d.ddq, out)))); return 1;
    case BENCH_HELD: append(d.ddq_dtau, append(d.ddq_dv, append(d.ddq_dq, append(d.ddq, out)))); return 1;
    case BENCH_DIFFERENCES: append(r.Minv, append(r.Dv, append(r.Dq, append(r.a, out)))); return 1;
    case BENCH_INVERSE_DYNAMICS: append(d.tau, out); return 1;
    case BENCH_FORWARD_DYNAMICS: append(d.ddq, out); return 1;
    case BENCH_MASS_MATRIX: append(row_major(d.M.selfadjointView<Eigen::Upper>()), out); return 1;
    case BENCH_FACTORIZATION: append(d.D, out); return 1;
    case BENCH_INVERSE_MASS_MATRIX: append(d.Minv, out); return 1;
    case BENCH_KINEMATICS:
        for (size_t i = 1; i < d.oMi.size(); i++)
            out = append(d.oMi[i].translation(), append(d.oMi[i].rotation(), out));
        return 1;
    case BENCH_JACOBIANS: append(d.J, out); return 1;
    case BENCH_STEP_LINEARIZE: append(r.Bd, append(r.Ad, out)); return 1;
    case BENCH_RNEA_DERIVATIVES: append(d.dtau_dv, append(d.dtau_dq, out)); return 1;
    case BENCH_CORIOLIS: append((d.C * r.v[0]).eval(), out); return 1;
    case BENCH_REGRESSOR: append(torque_of(r), out); return 1;
    case BENCH_CENTROIDAL: append(d.dAg, append(d.Ag, out)); return 1;
    case BENCH_FRAME_JACOBIAN: append(r.J, out); return 1;
    case BENCH_COM_JACOBIAN: append(d.Jcom, out); return 1;
    case BENCH_GRAVITY: append(r.Dq, append(d.g, out)); return 1;
    case BENCH_CENTROIDAL_DERIVATIVES:
        for (const auto &m : r.momentum) out = append(m, out);
        return 1;
    case BENCH_FRAME_RATE: append(r.frame[1], append(r.frame[0], out)); return 1;
    case BENCH_FRAME_DERIVATIVES:
        for (const auto &m : r.frame) out = append(m, out);
        return 1;
    case BENCH_COM_DERIVATIVE: append(r.com, out); return 1;
    case BENCH_INTEGRATE: turn_quaternions(r.model, true, append(r.next, out) - r.model.nq); return 1;
    default: return 0;
    }
}

void close(void *self) { delete static_cast<robot *>(self); }

} // namespace

extern "C" const bench_contender *bench_peer(void)
{
    static const bench_contender contender = {
        PEER_NAME, "Pinocchio " PINOCCHIO_VERSION ", " PEER_BUILD, open, run, result, close};
    return &contender;
}
