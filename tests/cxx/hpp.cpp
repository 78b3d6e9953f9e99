// hamel.hpp against the C functions it stands on: with exceptions and Eigen, or without either (HPP_PLAIN).
#if defined HPP_EIGEN
#include <Eigen/Core>
#endif

#include <cmath>
#include <cstdio>
#include <cstring>

#include <hamel/hamel.hpp>

static int failures;

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition);                                                \
            failures++;                                                                                                \
        }                                                                                                              \
    } while (0)

static const char SLIDER[] =
    "{\"hamel\": 1, \"name\": \"slider\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"b\", \"parent\": null, "
    "\"joint\": {\"name\": \"j\", \"type\": \"prismatic\", \"axis\": [0, 0, 1]}, \"inertia\": {\"mass\": 2, "
    "\"com\": [0, 0, 0], \"moment\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}]}";

// without exceptions: statuses, spans, nothing thrown
static void statuses()
{
    hamel::model m, nothing;
    hml_error e = {};
    EXPECT(hamel::model::try_load("nowhere.urdf", m, nullptr, &e) == HML_CANNOT_READ && !m);
    EXPECT(std::strstr(e.file, "nowhere.urdf") != nullptr);
    EXPECT(hamel::model::try_builtin("quadruped", m) == HML_OK && m.nq() == 19 && m.nv() == 18);
    EXPECT(hamel::model::try_builtin("no such robot", nothing) != HML_OK && !nothing);
    hamel::workspace w, none;
    EXPECT(hamel::workspace::try_make(nothing, none) == HML_INVALID_ARGUMENT && !none);
    EXPECT(hamel::workspace::try_make(m, w) == HML_OK && w);

    std::vector<double> q(m.nq()), v(m.nv()), a(m.nv()), A(4 * m.nv() * m.nv()), wrong(3), b(m.nv());
    EXPECT(m.try_neutral(q) == HML_OK && m.try_neutral(wrong) == HML_INVALID_ARGUMENT);
    for (std::size_t i = 0; i < v.size(); i++) v[i] = 0.1 * static_cast<double>(i) - 0.5;
    EXPECT(w.try_linearize(q, v, {}, a, A, {}) == HML_OK);
    EXPECT(w.try_linearize(q, v, {}, a, wrong, {}) == HML_INVALID_ARGUMENT);
    EXPECT(w.try_linearize(wrong, v, {}, a, A, {}) == HML_INVALID_ARGUMENT);
    EXPECT(none.try_linearize(q, v, {}, a, A, {}) == HML_INVALID_ARGUMENT);
    EXPECT(w.try_forward_dynamics(q, v, {}, b) == HML_OK);
    for (std::size_t i = 0; i < a.size(); i++) EXPECT(std::fabs(a[i] - b[i]) <= 1e-10 * (1 + std::fabs(a[i])));
    q[8] = NAN;
    EXPECT(w.try_linearize(q, v, {}, a, A, {}) == HML_NOT_FINITE);

    // a model and its workspace may be moved; what was moved from is empty
    hamel::model other = std::move(m);
    EXPECT(other.nv() == 18 && !m && m.nv() == 0);
    hamel::regulator r;
    const double one[1] = {1}, zero[1] = {0};
    EXPECT(hamel::try_lqr(1, 1, zero, one, one, one, r) == HML_OK && std::fabs(r.K(0, 0) - 1) < 1e-12);
    EXPECT(hamel::try_lqr(2, 1, zero, one, one, one, r) == HML_INVALID_ARGUMENT);
}

// the numbers of C, bit for bit
static void same_as_c()
{
    hamel::model m;
    hamel::workspace w;
    EXPECT(hamel::model::try_builtin("quadruped", m) == HML_OK && hamel::workspace::try_make(m, w) == HML_OK);
    enum { N = 10 };
    const std::size_t nq = m.nq(), nv = m.nv();
    std::vector<double> q(N * nq), v(N * nv), A(N * 4 * nv * nv), B(N * 2 * nv * nv), a(N * nv), A1(4 * nv * nv),
        a1(nv);
    std::vector<hml_status> status(N);
    hml_rng rng;
    hml_rng_seed(&rng, 3);
    for (std::size_t i = 0; i < N; i++) EXPECT(hml_configuration_random(m.c(), &rng, q.data() + i * nq) == HML_OK);
    for (double &x : v) x = hml_rng_uniform(&rng, -1, 1);
    EXPECT(w.try_linearize_batch(q, v, {}, a, A, B, status) == HML_OK);
    hml_linearization x = {};
    x.struct_size = sizeof x;
    x.q = {q.data(), nq}, x.v = {v.data(), nv};
    std::vector<double> C(A.size());
    x.A.data = C.data();
    EXPECT(hml_linearize_batch(m.c(), w.c(), N, &x, nullptr) == HML_OK);
    EXPECT(std::memcmp(A.data(), C.data(), A.size() * sizeof(double)) == 0);
    x.q.data += nq, x.v.data += nv, x.A.data = C.data();
    EXPECT(hml_linearize(m.c(), w.c(), &x) == HML_OK);
    EXPECT(w.try_linearize({q.data() + nq, nq}, {v.data() + nv, nv}, {}, a1, A1, {}) == HML_OK);
    EXPECT(std::memcmp(A1.data(), C.data(), A1.size() * sizeof(double)) == 0);
    q[4 * nq] = NAN;
    EXPECT(w.try_linearize_batch(q, v, {}, a, A, B, status) == HML_NOT_FINITE && status[4] == HML_NOT_FINITE &&
           !status[5]);
}

#if HAMEL_EXCEPTIONS
template <class F> static hml_status thrown(F f)
{
    try {
        f();
    } catch (const hamel::error &e) {
        EXPECT(std::strlen(e.what()) > 0);
        return e.status();
    }
    return HML_OK;
}

static void with_exceptions()
{
    const hamel::model m = hamel::model::parse(SLIDER);
    const hamel::workspace w(m);
    const std::vector<double> q = {0.5}, v = {2}, tau = {3};
    // a mass of 2 kg on a vertical rail: everything is known
    const hamel::linearization x = w.linearize(q, v, tau);
    EXPECT(x.A.rows() == 2 && x.A(0, 0) == 0 && x.A(0, 1) == 1 && x.A(1, 0) == 0 && x.A(1, 1) == 0);
    EXPECT(x.B(0, 0) == 0 && std::fabs(x.B(1, 0) - 0.5) < 1e-15);
    EXPECT(std::fabs(x.acceleration[0] - (1.5 - 9.81)) < 1e-14);
    std::vector<double> two_q = {0.5, NAN}, two_v = {2, 1}, two_tau = {3, 0};
    std::vector<hml_status> status(2);
    const hamel::linearizations many = w.linearize_batch(two_q, two_v, two_tau, status);
    EXPECT(many.A.rows() == 4 && many.A(0, 1) == 1 && many.B(1, 0) == x.B(1, 0));
    EXPECT(many.acceleration(0, 0) == x.acceleration[0] && std::isnan(many.acceleration(1, 0)));
    EXPECT(status[0] == HML_OK && status[1] == HML_NOT_FINITE);
    EXPECT(thrown([&] { w.linearize_batch(two_q, two_v, two_tau); }) == HML_NOT_FINITE);
    EXPECT(thrown([&] { w.linearize_batch(two_q, v); }) == HML_INVALID_ARGUMENT);
    EXPECT(thrown([&] { w.linearize_batch(two_q, v, {}, status); }) == HML_INVALID_ARGUMENT);
    const hamel::dynamics d = w.dynamics(q, v, tau);
    EXPECT(std::fabs(d.kinetic_energy - 4) < 1e-14 && std::fabs(d.potential_energy - 2 * 9.81 * 0.5) < 1e-13);
    EXPECT(std::fabs(d.gravity[0] - 19.62) < 1e-13 && std::fabs(d.com[2] - 0.5) < 1e-15);
    EXPECT(std::fabs(w.mass_matrix(q)(0, 0) - 2) < 1e-15);
    EXPECT(std::fabs(w.inverse_dynamics(q, v, std::vector<double>{1})[0] - 21.62) < 1e-13);
    EXPECT(std::fabs(w.forward_dynamics(q, v)[0] + 9.81) < 1e-14);
    const hamel::frame_motion f = w.frame("b", q, v);
    EXPECT(f.pose(2, 3) == 0.5 && f.J(2, 0) == 1 && f.twist[2] == 2);
    EXPECT(std::fabs(m.difference(q, m.integrate(q, v))[0] - 2) < 1e-15);
    EXPECT(m.velocity_names() == std::vector<std::string>{"j"} && m.name() == "slider" && m.mass() == 2);
    hamel::motion fall(w, q, v);
    fall.advance(1);
    EXPECT(fall.time() == 1 && std::fabs(fall.position()[0] - (0.5 + 2 - 0.5 * 9.81)) < 1e-9);
    EXPECT(std::fabs(fall.velocity()[0] - (2 - 9.81)) < 1e-9);
    hamel::matrix one(1, 1), zero(1, 1);
    one(0, 0) = 1;
    EXPECT(std::fabs(hamel::lqr(zero, one, one, one).K(0, 0) - 1) < 1e-12);

    EXPECT(thrown([] { hamel::model::load("nowhere.urdf"); }) == HML_CANNOT_READ);
    EXPECT(thrown([] { hamel::model::parse("{\"bodies\": 3}"); }) == HML_BAD_FILE);
    EXPECT(thrown([&] { w.linearize(std::vector<double>{1, 2}, v); }) == HML_INVALID_ARGUMENT);
    EXPECT(thrown([&] { w.frame("no such frame", q, v); }) == HML_NOT_FOUND);
    EXPECT(thrown([&] { hamel::lqr(one, zero, one, one); }) == HML_NOT_STABILIZABLE);
    try {
        hamel::model::load("nowhere.urdf");
    } catch (const std::exception &e) {
        EXPECT(std::strncmp(e.what(), "nowhere.urdf: ", 14) == 0);
    }
}
#endif

#if defined HPP_EIGEN && HAMEL_EXCEPTIONS
static void with_eigen()
{
    const hamel::model m = hamel::model::builtin("nine");
    const hamel::workspace w(m);
    Eigen::VectorXd q = Eigen::Map<Eigen::VectorXd>(m.neutral().data(), static_cast<Eigen::Index>(m.nq())).eval();
    Eigen::VectorXd v = Eigen::VectorXd::LinSpaced(static_cast<Eigen::Index>(m.nv()), -1, 1);
    Eigen::VectorXd tau = 2 * v;
    hamel::linearization x = w.linearize(q, v, tau);
    const Eigen::MatrixXd M = w.mass_matrix(q).eigen();
    const hamel::dynamics d = w.dynamics(q, v, tau);
    const Eigen::Map<const Eigen::VectorXd> h(d.h.data(), v.size()), a(x.acceleration.data(), v.size());
    EXPECT((M * a + h - tau).norm() < 1e-10 * (1 + tau.norm())); // the equations of motion
    EXPECT((x.B.eigen().bottomRows(v.size()) * M - Eigen::MatrixXd::Identity(v.size(), v.size())).norm() < 1e-10);
    x.A.eigen()(0, 1) = 7; // the map is the matrix
    EXPECT(x.A(0, 1) == 7);
    // a column-major matrix and a row of one are not vectors whose entries lie side by side
    static_assert(std::is_convertible_v<Eigen::VectorXd &, hamel::numbers>);
    static_assert(!std::is_convertible_v<Eigen::MatrixXd &, hamel::numbers>);
    static_assert(!std::is_convertible_v<decltype(std::declval<Eigen::MatrixXd &>().row(0)), hamel::numbers>);
}
#endif

static_assert(!std::is_copy_constructible_v<hamel::model> && std::is_nothrow_move_constructible_v<hamel::model>);
static_assert(std::is_convertible_v<std::vector<double> &, hamel::room>);
static_assert(!std::is_convertible_v<const std::vector<double> &, hamel::room>);
static_assert(!std::is_convertible_v<std::vector<float> &, hamel::numbers>);

int main()
{
    statuses();
    same_as_c();
#if HAMEL_EXCEPTIONS
    with_exceptions();
#else
    hamel::model m;
    EXPECT(hamel::model::try_parse({SLIDER, std::strlen(SLIDER)}, "slider.json", m) == HML_OK && m.nv() == 1);
#endif
#if defined HPP_EIGEN && HAMEL_EXCEPTIONS
    with_eigen();
#endif
    if (failures == 0) std::printf("hamel.hpp: all is well\n");
    return failures != 0;
}
