// The same operations in Pinocchio and Sophus, measured the same way as in group.c: 256 inputs in arrays, the best of
// 25 rounds. Their functions are inlined into the loop; Hamel's column "call" pays for a call and its checks.
#include <cmath>
#include <cstdio>
#include <ctime>
#include <random>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#ifdef PEER_PINOCCHIO
#include <pinocchio/spatial.hpp>
#endif
#ifdef PEER_SOPHUS
#include <se3.hpp>
#endif

namespace
{

constexpr int rows = 256, rounds = 25;

template <class T> void keep(T &value) { asm volatile("" : : "r"(&value) : "memory"); }

double seconds()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class F> void measure(const char *operation, const char *column, F f)
{
    double start = seconds();
    for (int i = 0; i < rows; i++) f(i);
    int repeats = 1 + static_cast<int>(0.002 / (seconds() - start + 1e-9));
    double best = INFINITY;
    for (int round = 0; round < rounds; round++) {
        start = seconds();
        for (int r = 0; r < repeats; r++) {
            for (int i = 0; i < rows; i++) f(i);
        }
        best = std::fmin(best, (seconds() - start) / repeats);
    }
    std::printf("%s\t%s\t%.2f\n", operation, column, 1e9 * best / rows);
}

std::mt19937_64 generator(1);

double uniform() { return std::uniform_real_distribution<double>(-1.7, 1.7)(generator); }

template <class T> std::vector<T, Eigen::aligned_allocator<T>> space()
{
    return std::vector<T, Eigen::aligned_allocator<T>>(rows);
}

template <class M> std::vector<M, Eigen::aligned_allocator<M>> draws()
{
    auto x = space<M>();
    for (auto &m : x) m = M::NullaryExpr([](Eigen::Index) { return uniform(); });
    return x;
}

using vec3 = Eigen::Vector3d;
using vec6 = Eigen::Matrix<double, 6, 1>;
using mat3 = Eigen::Matrix3d;
using mat6 = Eigen::Matrix<double, 6, 6>;

#ifdef PEER_PINOCCHIO
void pinocchio_all()
{
    namespace pin = pinocchio;
    const char *name = "Pinocchio";
    auto phi = draws<vec3>();
    auto xi = draws<vec6>();
    auto R = space<mat3>();
    auto v = space<vec3>();
    auto J = space<mat6>();
    std::vector<pin::Motion, Eigen::aligned_allocator<pin::Motion>> V(rows), U(rows), W(rows);
    std::vector<pin::Force, Eigen::aligned_allocator<pin::Force>> F(rows);
    std::vector<pin::SE3, Eigen::aligned_allocator<pin::SE3>> H(rows), G(rows);
    std::vector<pin::Inertia, Eigen::aligned_allocator<pin::Inertia>> I(rows);
    std::vector<Eigen::Quaterniond, Eigen::aligned_allocator<Eigen::Quaterniond>> q(rows);
    for (int i = 0; i < rows; i++) {
        V[i] = pin::Motion(xi[i]);
        U[i] = pin::Motion(xi[rows - 1 - i]);
        H[i] = pin::exp6(V[i]);
        I[i] = pin::Inertia::Random();
        q[i] = Eigen::Quaterniond(H[i].rotation());
    }
    measure("SO(3) exp", name, [&](int i) { R[i] = pin::exp3(phi[i]), keep(R[i]); });
    measure("SO(3) log of a quaternion", name, [&](int i) { v[i] = pin::quaternion::log3(q[i]), keep(v[i]); });
    measure("SO(3) dexp", name, [&](int i) { pin::Jexp3(phi[i], R[i]), keep(R[i]); });
    measure("quaternion to matrix", name, [&](int i) { R[i] = q[i].normalized().toRotationMatrix(), keep(R[i]); });
    measure("SE(3) exp", name, [&](int i) { G[i] = pin::exp6(V[i]), keep(G[i]); });
    measure("SE(3) log", name, [&](int i) { W[i] = pin::log6(H[i]), keep(W[i]); });
    measure("SE(3) dexp", name, [&](int i) { pin::Jexp6(V[i], J[i]), keep(J[i]); });
    measure("SE(3) dexp inverse", name, [&](int i) { pin::Jlog6(H[i], J[i]), keep(J[i]); });
    measure("Ad times twist", name, [&](int i) { W[i] = H[i].act(V[i]), keep(W[i]); });
    measure("ad times twist", name, [&](int i) { W[i] = V[i].cross(U[i]), keep(W[i]); });
    measure("inertia times twist", name, [&](int i) { F[i] = I[i] * V[i], keep(F[i]); });
}
#endif

#ifdef PEER_SOPHUS
void sophus_all()
{
    const char *name = "Sophus";
    auto phi = draws<vec3>();
    auto xi = draws<vec6>();
    auto R = space<mat3>();
    auto v = space<vec3>();
    auto w = space<vec6>();
    std::vector<Sophus::SO3d, Eigen::aligned_allocator<Sophus::SO3d>> Q(rows), P(rows);
    std::vector<Sophus::SE3d, Eigen::aligned_allocator<Sophus::SE3d>> H(rows), G(rows);
    for (int i = 0; i < rows; i++) Q[i] = Sophus::SO3d::exp(phi[i]), H[i] = Sophus::SE3d::exp(xi[i]);
    measure("SO(3) exp", name, [&](int i) { R[i] = Sophus::SO3d::exp(phi[i]).matrix(), keep(R[i]); });
    measure("SO(3) log of a quaternion", name, [&](int i) { v[i] = Q[i].log(), keep(v[i]); });
    measure("quaternion to matrix", name, [&](int i) { R[i] = Q[i].matrix(), keep(R[i]); });
    measure("SE(3) exp", name, [&](int i) { G[i] = Sophus::SE3d::exp(xi[i]), keep(G[i]); });
    measure("SE(3) log", name, [&](int i) { w[i] = H[i].log(), keep(w[i]); });
    measure("Ad times twist", name, [&](int i) { w[i] = H[i].Adj() * xi[i], keep(w[i]); });
    measure("ad times twist", name,
            [&](int i) { w[i] = Sophus::SE3d::lieBracket(xi[i], xi[rows - 1 - i]), keep(w[i]); });
}
#endif

} // namespace

int main()
{
#ifdef PEER_PINOCCHIO
    pinocchio_all();
#endif
#ifdef PEER_SOPHUS
    sophus_all();
#endif
    return 0;
}
