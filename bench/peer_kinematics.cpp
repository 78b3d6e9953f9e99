// All Jacobians of a robot in Pinocchio and in Hamel, in turns in one process, so that both see the same machine.
// Usage: kinematics_peer [ROBOT.urdf...]   Robots and lines are those of kinematics.c.
//
// computeJointJacobians fills data.J, the columns of all joints in the world, and placements of all joints. The model
// is made joint by joint from Hamel's, with Pinocchio's special joints where an axis is x, y or z.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/multibody.hpp>

#include <hamel/hamel.h>
#include <hamel/io.h>

namespace
{

constexpr int states = 64, rounds = 400;

template <class X, class Y, class Z, class U>
pinocchio::JointModel along(const Eigen::Vector3d &axis, const X &x, const Y &y, const Z &z, const U &unaligned)
{
    if (axis == Eigen::Vector3d::UnitX()) return x;
    if (axis == Eigen::Vector3d::UnitY()) return y;
    if (axis == Eigen::Vector3d::UnitZ()) return z;
    return unaligned;
}

pinocchio::JointModel joint_of(const hml_joint_info &j)
{
    using namespace pinocchio;
    const Eigen::Vector3d axis(j.axis[0], j.axis[1], j.axis[2]);
    if (j.type == HML_JOINT_FREE) return JointModelFreeFlyer();
    if (j.type == HML_JOINT_PRISMATIC)
        return along(axis, JointModelPX(), JointModelPY(), JointModelPZ(), JointModelPrismaticUnaligned(axis));
    return along(axis, JointModelRX(), JointModelRY(), JointModelRZ(), JointModelRevoluteUnaligned(axis));
}

/* robots of free, revolute and prismatic joints; the others have no row here */
bool has_counterpart(const hml_model *m)
{
    for (int32_t i = 0; i < hml_model_njoints(m); i++) {
        hml_joint_info j = {sizeof(hml_joint_info)};
        hml_model_joint(m, i, &j);
        if (j.type != HML_JOINT_FREE && j.type != HML_JOINT_REVOLUTE && j.type != HML_JOINT_PRISMATIC) return false;
    }
    return true;
}

pinocchio::Model model_of(const hml_model *m)
{
    pinocchio::Model model;
    std::vector<pinocchio::JointIndex> index;
    for (int32_t i = 0; i < hml_model_nbodies(m); i++) {
        hml_body_info b = {sizeof(hml_body_info)};
        hml_joint_info j = {sizeof(hml_joint_info)};
        hml_model_body(m, i, &b);
        hml_model_joint(m, b.joint, &j);
        const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(j.rotation);
        const pinocchio::SE3 placement(R, Eigen::Vector3d(j.position[0], j.position[1], j.position[2]));
        const pinocchio::JointIndex parent = b.parent < 0 ? 0 : index[static_cast<size_t>(b.parent)];
        index.push_back(model.addJoint(parent, joint_of(j), placement, j.name));
    }
    return model;
}

struct contender {
    std::string column;
    std::function<void()> run;
    double best = INFINITY;
};

void bench(const std::string &path, bool builtin)
{
    using clock = std::chrono::steady_clock;
    hml_load_options options;
    hml_model *m = nullptr;
    hml_load_options_init(&options);
    options.base = builtin ? HML_BASE_AUTO : HML_BASE_FREE;
    options.build = HML_BUILD_MIMIC_INDEPENDENT;
    if (builtin ? hml_load_builtin(path.c_str(), &options, &m, nullptr) : hml_load(path.c_str(), &options, &m, nullptr))
        return;

    if (!has_counterpart(m)) {
        hml_model_free(m);
        return;
    }
    const size_t nq = static_cast<size_t>(hml_model_nq(m)), nv = static_cast<size_t>(hml_model_nv(m));
    std::vector<double> q(states * nq), J(states * 6 * nv);
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    const pinocchio::Model model = model_of(m);
    pinocchio::Data data(model);
    std::vector<Eigen::VectorXd> q_pin;
    for (size_t s = 0; s < states; s++) {
        hml_configuration_random(m, &rng, &q[s * nq]);
        Eigen::VectorXd x = Eigen::Map<Eigen::VectorXd>(&q[s * nq], static_cast<Eigen::Index>(nq));
        if (nq > nv) { /* a free base: their quaternion ends in w */
            const double w = x[3];
            x[3] = x[4], x[4] = x[5], x[5] = x[6], x[6] = w;
        }
        q_pin.push_back(x);
    }

    hml_work *work = nullptr;
    if (hml_work_new(m, HML_ISA_BEST, HML_USE_TREE, &work)) return;
    hml_jacobian_columns x = {};
    x.struct_size = sizeof x;
    x.q.stride = nq;
    x.J.data = J.data();
    std::vector<contender> all;
    all.push_back({"Pinocchio", [&] {
                       for (const auto &s : q_pin) pinocchio::computeJointJacobians(model, data, s);
                   }});
    all.push_back({"call", [&] {
                       for (size_t s = 0; s < states; s++) {
                           x.q.data = &q[s * nq];
                           hml_jacobians(m, work, &x);
                       }
                   }});
    all.push_back({hml_isa_name(hml_work_isa(work)), [&] {
                       x.q.data = q.data();
                       hml_jacobians_batch(m, work, states, &x, nullptr);
                   }});
    for (int round = 0; round < rounds; round++) {
        for (auto &c : all) {
            const auto start = clock::now();
            c.run();
            c.best = std::fmin(c.best, std::chrono::duration<double>(clock::now() - start).count());
        }
    }
    /* the last state, in both: they computed the same thing */
    double worst = 0;
    for (Eigen::Index r = 0; r < 6; r++) {
        for (Eigen::Index c = 0; c < model.nv; c++) {
            const double ours = J[(states - 1) * 6 * nv + static_cast<size_t>(r) * nv + static_cast<size_t>(c)];
            worst = std::fmax(worst, std::abs(ours - data.J(r, c)));
        }
    }
    const std::string file = path.substr(path.find_last_of('/') + 1), name = file.substr(0, file.find('.'));
    for (const auto &c : all) {
        std::printf("%s, nv %zu\t%s\t%.1f\n", name.c_str(), nv, c.column.c_str(), 1e9 * c.best / states);
    }
    if (!(worst < 1e-12)) std::fprintf(stderr, "%s: columns differ by %g\n", name.c_str(), worst);
    hml_work_free(work);
    hml_model_free(m);
}

} // namespace

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) bench(argv[i], false);
    if (argc > 1) return 0;
    for (const char *name : {"quadruped", "humanoid", "arm7"}) bench(name, true);
}
