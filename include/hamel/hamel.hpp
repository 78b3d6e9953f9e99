/*
 * Hamel for C++17: the C functions with owners, spans and, if you like, exceptions and Eigen. Header only.
 *
 *   hamel::span<T>      a pointer and a size: from vectors, arrays, std::span, Eigen vectors; sizes are checked
 *   hamel::matrix       row-major, with an Eigen map where Eigen was included before this header
 *   hamel::model        a robot: load, builtin, parse; sizes, names, neutral, integrate, difference
 *   hamel::workspace    the memory of one thread for one model, and what it computes: linearize, dynamics,
 *                       forward_dynamics, inverse_dynamics, mass_matrix, frame; linearize_batch for many states
 *   hamel::motion       an integration in time
 *   hamel::lqr          a regulator (libhamel-control)
 *
 * Every operation has two names. try_… returns an hml_status, writes into the caller's spans, allocates nothing where C
 * does not, and never throws. The name without try_ returns its results and throws hamel::error; it is there unless the
 * compiler has no exceptions or HAMEL_NO_EXCEPTIONS is defined. An empty span is a missing argument: forces that are
 * zero, results that are not wanted.
 *
 * A workspace keeps a pointer to its model, and a motion to both: they must stay where they are. docs/cpp.md has
 * examples.
 */
#ifndef HAMEL_HAMEL_HPP
#define HAMEL_HAMEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hamel/control.h"
#include "hamel/hamel.h"
#include "hamel/io.h"

#if defined __cpp_exceptions && !defined HAMEL_NO_EXCEPTIONS
#define HAMEL_EXCEPTIONS 1
#include <stdexcept>
#else
#define HAMEL_EXCEPTIONS 0
#endif

namespace hamel
{

/* ---- errors ---- */

#if HAMEL_EXCEPTIONS
class error : public std::runtime_error
{
  public:
    explicit error(hml_status status) : std::runtime_error(hml_status_message(status)), status_(status) {}
    explicit error(const hml_error &e) : std::runtime_error(text(e)), status_(e.status), file_(e.file), line_(e.line) {}

    hml_status status() const noexcept { return status_; }
    const std::string &file() const noexcept { return file_; } /* empty if there is none */
    int line() const noexcept { return line_; }                /* 0 if there is none */

  private:
    static std::string text(const hml_error &e)
    {
        std::string s = e.message[0] ? e.message : hml_status_message(e.status);
        if (!e.file[0]) return s;
        return std::string(e.file) + (e.line > 0 ? ":" + std::to_string(e.line) : "") + ": " + s;
    }
    hml_status status_;
    std::string file_;
    int line_ = 0;
};

inline void check(hml_status status)
{
    if (status != HML_OK) throw error(status);
}

inline void check(hml_status status, hml_error &e)
{
    if (status == HML_OK) return;
    e.status = status;
    throw error(e);
}
#endif

/* ---- spans and matrices ---- */

namespace detail
{
/* what Eigen has and others do not: its vectors are taken if their entries lie one after the other */
template <class C, class = void> struct contiguous : std::true_type {
};
template <class C>
struct contiguous<C, std::void_t<decltype(C::IsVectorAtCompileTime), decltype(C::InnerStrideAtCompileTime)>>
    : std::bool_constant<C::IsVectorAtCompileTime && C::InnerStrideAtCompileTime == 1> {
};

template <class T, auto Free> struct freer {
    void operator()(T *p) const noexcept { Free(p); }
};
} // namespace detail

template <class T> class span
{
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}

    /* anything with data() and size() of the same type */
    template <
        class C, class D = decltype(std::declval<C &>().data()),
        class = std::enable_if_t<std::is_convertible_v<std::remove_pointer_t<D> (*)[], T (*)[]> &&
                                 !std::is_same_v<std::decay_t<C>, span> && detail::contiguous<std::decay_t<C>>::value>>
    constexpr span(C &&c) noexcept : data_(c.data()), size_(static_cast<std::size_t>(c.size()))
    {
    }

    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T &operator[](std::size_t i) const noexcept { return data_[i]; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

using numbers = span<const double>; /* what goes in */
using room = span<double>;          /* where results go */

#ifdef EIGEN_WORLD_VERSION
using eigen_matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
#endif

/* row-major */
class matrix
{
  public:
    matrix() = default;
    matrix(std::size_t rows, std::size_t columns) : data_(rows * columns), rows_(rows), columns_(columns) {}

    std::size_t rows() const noexcept { return rows_; }
    std::size_t columns() const noexcept { return columns_; }
    double *data() noexcept { return data_.data(); }
    const double *data() const noexcept { return data_.data(); }
    std::size_t size() const noexcept { return data_.size(); }
    double &operator()(std::size_t i, std::size_t j) noexcept { return data_[i * columns_ + j]; }
    double operator()(std::size_t i, std::size_t j) const noexcept { return data_[i * columns_ + j]; }

#ifdef EIGEN_WORLD_VERSION
    Eigen::Map<eigen_matrix> eigen() noexcept
    {
        return {data(), static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(columns_)};
    }
    Eigen::Map<const eigen_matrix> eigen() const noexcept
    {
        return {data(), static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(columns_)};
    }
#endif

  private:
    std::vector<double> data_;
    std::size_t rows_ = 0, columns_ = 0;
};

/* ---- models ---- */

class model
{
  public:
    model() = default;
    explicit model(hml_model *owned) noexcept : owned_(owned) {}

    static hml_status try_load(const char *path, model &out, const hml_load_options *options = nullptr,
                               hml_error *e = nullptr) noexcept
    {
        hml_model *m = nullptr;
        hml_status status = hml_load(path, options, &m, e);
        if (status == HML_OK) out = model(m);
        return status;
    }
    /* one of the robots that come with the library */
    static hml_status try_builtin(const char *name, model &out, const hml_load_options *options = nullptr,
                                  hml_error *e = nullptr) noexcept
    {
        hml_model *m = nullptr;
        hml_status status = hml_load_builtin(name, options, &m, e);
        if (status == HML_OK) out = model(m);
        return status;
    }
    /* name: for messages, and its ending for the format */
    static hml_status try_parse(span<const char> text, const char *name, model &out,
                                const hml_load_options *options = nullptr, hml_error *e = nullptr) noexcept
    {
        hml_model *m = nullptr;
        hml_status status = hml_load_memory(text.data(), text.size(), name, options, &m, e);
        if (status == HML_OK) out = model(m);
        return status;
    }

#if HAMEL_EXCEPTIONS
    static model load(const std::string &path, const hml_load_options *options = nullptr)
    {
        model m;
        hml_error e = {};
        check(try_load(path.c_str(), m, options, &e), e);
        return m;
    }
    static model builtin(const std::string &name, const hml_load_options *options = nullptr)
    {
        model m;
        hml_error e = {};
        check(try_builtin(name.c_str(), m, options, &e), e);
        return m;
    }
    static model parse(const std::string &text, const std::string &name = "model.json",
                       const hml_load_options *options = nullptr)
    {
        model m;
        hml_error e = {};
        check(try_parse(text, name.c_str(), m, options, &e), e);
        return m;
    }
#endif

    explicit operator bool() const noexcept { return owned_ != nullptr; }
    const hml_model *c() const noexcept { return owned_.get(); } /* for the C functions */
    std::size_t nq() const noexcept { return owned_ ? static_cast<std::size_t>(hml_model_nq(c())) : 0; }
    std::size_t nv() const noexcept { return owned_ ? static_cast<std::size_t>(hml_model_nv(c())) : 0; }
    std::size_t nbodies() const noexcept { return owned_ ? static_cast<std::size_t>(hml_model_nbodies(c())) : 0; }
    double mass() const noexcept { return owned_ ? hml_model_mass(c()) : 0; }
    std::string name() const { return owned_ ? hml_model_name(c()) : ""; }

    /* the index of a frame, body or link; −1 if there is none */
    int32_t find_frame(const char *frame) const noexcept { return owned_ ? hml_model_find_frame(c(), frame) : -1; }

    std::vector<std::string> velocity_names() const
    {
        std::vector<std::string> names;
        char text[512];
        for (std::size_t i = 0; i < nv(); i++) {
            hml_status status = hml_model_velocity_name(c(), static_cast<int32_t>(i), text, sizeof text);
            names.emplace_back(status == HML_OK ? text : "");
        }
        return names;
    }

    hml_status try_neutral(room q) const noexcept
    {
        return q.size() == nq() ? hml_configuration_neutral(c(), q.data()) : HML_INVALID_ARGUMENT;
    }
    /* q ⊕ v */
    hml_status try_integrate(numbers q, numbers v, room next) const noexcept
    {
        if (q.size() != nq() || v.size() != nv() || next.size() != nq()) return HML_INVALID_ARGUMENT;
        return hml_configuration_integrate(c(), q.data(), v.data(), next.data());
    }
    /* q1 ⊖ q0 */
    hml_status try_difference(numbers q0, numbers q1, room v) const noexcept
    {
        if (q0.size() != nq() || q1.size() != nq() || v.size() != nv()) return HML_INVALID_ARGUMENT;
        return hml_configuration_difference(c(), q0.data(), q1.data(), v.data());
    }

#if HAMEL_EXCEPTIONS
    std::vector<double> neutral() const
    {
        std::vector<double> q(nq());
        check(try_neutral(q));
        return q;
    }
    std::vector<double> integrate(numbers q, numbers v) const
    {
        std::vector<double> next(nq());
        check(try_integrate(q, v, next));
        return next;
    }
    std::vector<double> difference(numbers q0, numbers q1) const
    {
        std::vector<double> v(nv());
        check(try_difference(q0, q1, v));
        return v;
    }
#endif

  private:
    std::unique_ptr<hml_model, detail::freer<hml_model, hml_model_free>> owned_;
};

/* ---- what a workspace computes ---- */

struct linearization {
    matrix A, B; /* 2nv × 2nv, 2nv × nv */
    std::vector<double> acceleration;
};

struct linearizations {        /* of n states, one below the other */
    matrix A, B, acceleration; /* (n 2nv) × 2nv, (n 2nv) × nv, n × nv */
};

struct dynamics {
    matrix M;
    std::vector<double> h, gravity, acceleration;
    std::array<double, 3> com;
    std::array<double, 6> centroidal_momentum;
    double kinetic_energy = 0, potential_energy = 0;
};

struct frame_motion {
    matrix pose, J, Jdot; /* 4 × 4, 6 × nv, 6 × nv */
    std::array<double, 6> twist;
};

class workspace
{
  public:
    workspace() = default;

    static hml_status try_make(const model &m, workspace &out, hml_isa isa = HML_ISA_BEST,
                               unsigned uses = HML_USE_ALL) noexcept
    {
        hml_work *w = nullptr;
        hml_status status = m ? hml_work_new(m.c(), isa, uses, &w) : HML_INVALID_ARGUMENT;
        if (status != HML_OK) return status;
        out.owned_.reset(w);
        out.model_ = m.c();
        out.nq_ = m.nq(), out.nv_ = m.nv();
        return status;
    }

#if HAMEL_EXCEPTIONS
    explicit workspace(const model &m, hml_isa isa = HML_ISA_BEST, unsigned uses = HML_USE_ALL)
    {
        check(try_make(m, *this, isa, uses));
    }
#endif

    explicit operator bool() const noexcept { return owned_ != nullptr; }
    hml_work *c() const noexcept { return owned_.get(); }
    const hml_model *model_c() const noexcept { return model_; }

    /* A: 2nv × 2nv, B: 2nv × nv, row-major */
    hml_status try_linearize(numbers q, numbers v, numbers tau, room acceleration, room A, room B) const noexcept
    {
        if (q.size() != nq_ || v.size() != nv_) return HML_INVALID_ARGUMENT;
        return batch(1, q, v, tau, acceleration, A, B, {});
    }

    /* n = q.size() / nq states, one after the other in every span; status, if not empty, takes n */
    hml_status try_linearize_batch(numbers q, numbers v, numbers tau, room acceleration, room A, room B,
                                   span<hml_status> status = {}) const noexcept
    {
        if (nq_ == 0 || q.size() % nq_ != 0) return HML_INVALID_ARGUMENT;
        return batch(q.size() / nq_, q, v, tau, acceleration, A, B, status);
    }

    hml_status try_forward_dynamics(numbers q, numbers v, numbers tau, room acceleration) const noexcept
    {
        if (!fits(q, v, tau) || acceleration.size() != nv_) return HML_INVALID_ARGUMENT;
        return hml_forward_dynamics(model_, c(), q.data(), v.data(), tau.data(), nullptr, acceleration.data());
    }

    hml_status try_inverse_dynamics(numbers q, numbers v, numbers acceleration, room tau) const noexcept
    {
        if (!fits(q, v, acceleration) || tau.size() != nv_) return HML_INVALID_ARGUMENT;
        return hml_inverse_dynamics(model_, c(), q.data(), v.data(), acceleration.data(), nullptr, tau.data());
    }

    hml_status try_mass_matrix(numbers q, room M) const noexcept
    {
        if (!owned_ || q.size() != nq_ || M.size() != nv_ * nv_) return HML_INVALID_ARGUMENT;
        return hml_mass_matrix(model_, c(), q.data(), M.data());
    }

    /* the pointers of `result` are the caller's, with room for what dynamics.h says */
    hml_status try_dynamics(numbers q, numbers v, numbers tau, hml_dynamics_result &result) const noexcept
    {
        if (!fits(q, v, tau)) return HML_INVALID_ARGUMENT;
        return hml_dynamics(model_, c(), q.data(), v.data(), tau.data(), nullptr, &result);
    }

    /* pose: 16, J and Jdot: 6 × nv, twist: 6; empty where it is not wanted. v may be empty if Jdot and twist are */
    hml_status try_frame(int32_t frame, hml_representation representation, numbers q, numbers v, room pose, room J,
                         room Jdot, room twist) const noexcept
    {
        if (!owned_ || q.size() != nq_ || !is(v, nv_) || !is(pose, 16) || !is(J, 6 * nv_) || !is(Jdot, 6 * nv_) ||
            !is(twist, 6) || (v.empty() && nv_ > 0 && !(Jdot.empty() && twist.empty())))
            return HML_INVALID_ARGUMENT;
        hml_frame_motion motion = {};
        motion.struct_size = sizeof motion;
        motion.pose = pose.data(), motion.J = J.data(), motion.Jdot = Jdot.data(), motion.twist = twist.data();
        return hml_frame(model_, c(), frame, representation, q.data(), v.data(), nullptr, &motion);
    }

#if HAMEL_EXCEPTIONS
    linearization linearize(numbers q, numbers v, numbers tau = {}) const
    {
        linearization x = {matrix(2 * nv_, 2 * nv_), matrix(2 * nv_, nv_), std::vector<double>(nv_)};
        check(try_linearize(q, v, tau, x.acceleration, x.A, x.B));
        return x;
    }

    /* throws the first failure, unless `status` takes those of the states; then the results of failed states are NaN */
    linearizations linearize_batch(numbers q, numbers v, numbers tau = {}, span<hml_status> status = {}) const
    {
        const std::size_t n = nq_ ? q.size() / nq_ : 0;
        linearizations x = {matrix(n * 2 * nv_, 2 * nv_), matrix(n * 2 * nv_, nv_), matrix(n, nv_)};
        const hml_status first = try_linearize_batch(q, v, tau, x.acceleration, x.A, x.B, status);
        if (status.empty() || first == HML_INVALID_ARGUMENT) check(first);
        return x;
    }

    hamel::dynamics dynamics(numbers q, numbers v, numbers tau = {}) const
    {
        hamel::dynamics d = {};
        d.M = matrix(nv_, nv_);
        d.h.resize(nv_), d.gravity.resize(nv_), d.acceleration.resize(nv_);
        hml_dynamics_result r = {};
        r.struct_size = sizeof r;
        r.M = d.M.data(), r.h = d.h.data(), r.gravity = d.gravity.data(), r.acceleration = d.acceleration.data();
        r.com = d.com.data(), r.centroidal_momentum = d.centroidal_momentum.data();
        check(try_dynamics(q, v, tau, r));
        d.kinetic_energy = r.kinetic_energy, d.potential_energy = r.potential_energy;
        return d;
    }

    std::vector<double> forward_dynamics(numbers q, numbers v, numbers tau = {}) const
    {
        std::vector<double> a(nv_);
        check(try_forward_dynamics(q, v, tau, a));
        return a;
    }

    std::vector<double> inverse_dynamics(numbers q, numbers v, numbers acceleration = {}) const
    {
        std::vector<double> tau(nv_);
        check(try_inverse_dynamics(q, v, acceleration, tau));
        return tau;
    }

    matrix mass_matrix(numbers q) const
    {
        matrix M(nv_, nv_);
        check(try_mass_matrix(q, M));
        return M;
    }

    frame_motion frame(const std::string &name, numbers q, numbers v,
                       hml_representation representation = HML_LEFT) const
    {
        frame_motion f = {matrix(4, 4), matrix(6, nv_), matrix(6, nv_), {}};
        const int32_t index = owned_ ? hml_model_find_frame(model_, name.c_str()) : -1;
        if (index < 0) throw error(HML_NOT_FOUND);
        check(try_frame(index, representation, q, v, f.pose, f.J, f.Jdot, f.twist));
        return f;
    }
#endif

  private:
    template <class S> static bool is(const S &s, std::size_t size) noexcept { return s.empty() || s.size() == size; }

    bool fits(numbers q, numbers v, numbers last) const noexcept
    {
        return owned_ && q.size() == nq_ && v.size() == nv_ && is(last, nv_);
    }

    hml_status batch(std::size_t n, numbers q, numbers v, numbers tau, room acceleration, room A, room B,
                     span<hml_status> status) const noexcept
    {
        if (!owned_ || v.size() != n * nv_ || !is(tau, n * nv_) || !is(acceleration, n * nv_) ||
            !is(A, 4 * n * nv_ * nv_) || !is(B, 2 * n * nv_ * nv_) || !is(status, n))
            return HML_INVALID_ARGUMENT;
        hml_linearization x = {};
        x.struct_size = sizeof x;
        x.q = {q.data(), nq_}, x.v = {v.data(), nv_}, x.tau = {tau.data(), nv_};
        x.acceleration.data = acceleration.data(), x.A.data = A.data(), x.B.data = B.data();
        if (n == 1 && status.empty()) return hml_linearize(model_, c(), &x);
        return hml_linearize_batch(model_, c(), n, &x, status.data());
    }

    std::unique_ptr<hml_work, detail::freer<hml_work, hml_work_free>> owned_;
    const hml_model *model_ = nullptr;
    std::size_t nq_ = 0, nv_ = 0;
};

/* ---- motion ---- */

class motion
{
  public:
    motion() = default;

    /* options NULL: the defaults; forces NULL: none. The workspace is the motion's while it moves */
    static hml_status try_make(const workspace &w, numbers q, numbers v, motion &out,
                               const hml_motion_options *options = nullptr, const hml_forces *forces = nullptr) noexcept
    {
        hml_motion *m = nullptr;
        if (!w) return HML_INVALID_ARGUMENT;
        const std::size_t nq = static_cast<std::size_t>(hml_model_nq(w.model_c()));
        const std::size_t nv = static_cast<std::size_t>(hml_model_nv(w.model_c()));
        if (q.size() != nq || v.size() != nv) return HML_INVALID_ARGUMENT;
        hml_status status = hml_motion_new(w.model_c(), w.c(), options, forces, 0, q.data(), v.data(), &m);
        if (status != HML_OK) return status;
        out.owned_.reset(m);
        out.nq_ = nq, out.nv_ = nv;
        return status;
    }
    hml_status try_advance(double until) noexcept
    {
        return owned_ ? hml_motion_advance(c(), until) : HML_INVALID_ARGUMENT;
    }

#if HAMEL_EXCEPTIONS
    motion(const workspace &w, numbers q, numbers v, const hml_motion_options *options = nullptr,
           const hml_forces *forces = nullptr)
    {
        check(try_make(w, q, v, *this, options, forces));
    }
    void advance(double until) { check(try_advance(until)); }
#endif

    hml_motion *c() const noexcept { return owned_.get(); }
    double time() const noexcept { return hml_motion_time(c()); }
    /* the motion's own memory: the next step changes them */
    numbers position() const noexcept { return owned_ ? numbers(hml_motion_position(c()), nq_) : numbers(); }
    numbers velocity() const noexcept { return owned_ ? numbers(hml_motion_velocity(c()), nv_) : numbers(); }

  private:
    std::unique_ptr<hml_motion, detail::freer<hml_motion, hml_motion_free>> owned_;
    std::size_t nq_ = 0, nv_ = 0;
};

/* ---- control ---- */

struct regulator {
    matrix K, P, poles; /* m × n, n × n, n × 2: real and imaginary part */
    double residual = 0;
};

/* u = −K x for ẋ = A x + B u; with `discrete` x⁺ = A x + B u. Allocates. Needs libhamel-control */
inline hml_status try_lqr(std::size_t n, std::size_t m, numbers A, numbers B, numbers Q, numbers R, regulator &out,
                          bool discrete = false)
{
    if (n == 0 || m == 0 || A.size() != n * n || B.size() != n * m || Q.size() != n * n || R.size() != m * m)
        return HML_INVALID_ARGUMENT;
    out.K = matrix(m, n), out.P = matrix(n, n), out.poles = matrix(n, 2);
    std::vector<double> scratch(hml_lqr_scratch_doubles(n, m));
    hml_lqr p = {};
    hml_lqr_report report = {};
    p.struct_size = sizeof p, report.struct_size = sizeof report;
    p.n = n, p.m = m, p.A = A.data(), p.B = B.data(), p.Q = Q.data(), p.R = R.data();
    p.K = out.K.data(), p.P = out.P.data(), p.poles = out.poles.data();
    hml_status status = (discrete ? hml_lqr_solve_discrete : hml_lqr_solve)(&p, scratch.data(), &report);
    out.residual = report.residual;
    return status;
}

#if HAMEL_EXCEPTIONS
inline regulator lqr(const matrix &A, const matrix &B, const matrix &Q, const matrix &R, bool discrete = false)
{
    regulator r;
    check(try_lqr(A.rows(), B.columns(), A, B, Q, R, r, discrete));
    return r;
}
#endif

} // namespace hamel

#endif
