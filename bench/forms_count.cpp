/*
 * How many operations the four forms of the Newton-Euler recursion take: the library's own source, compiled once more
 * with a number that counts. One line a measurement: form, bodies, what, how many. See docs/newton-euler-forms.md.
 *
 * `number` is a double and nothing else, so that a model has the same bytes; every + − × ÷ on two of them is counted. A
 * product with a zero counts as one. The robots are chains of revolute joints, as in Müller, section 4.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    long add, multiply, divide, root, sine, transform, rotation, tensor, bracket, cross;
};
static tally count;

inline void bump(long *x) { ++*x; }

struct number {
    double x;
    number() = default;
    number(double value) : x(value) {}
};
static_assert(sizeof(number) == sizeof(double), "a model has the same bytes");

inline number operator+(number a, number b) { return count.add++, number(a.x + b.x); }
inline number operator-(number a, number b) { return count.add++, number(a.x - b.x); }
inline number operator*(number a, number b) { return count.multiply++, number(a.x * b.x); }
inline number operator/(number a, number b) { return count.divide++, number(a.x / b.x); }
inline number operator-(number a) { return number(-a.x); }
inline number &operator+=(number &a, number b) { return a = a + b; }
inline number &operator-=(number &a, number b) { return a = a - b; }
inline bool operator<(number a, number b) { return a.x < b.x; }

/* what num/num.h asks of a number */
#define HML_NUM_NUM_H
#define NUM_INLINE       static inline
#define LANES            1
#define NUM_SERIES_TERMS 10
typedef number num, lane;
typedef int64_t mask;
inline num K(double c) { return num(c); }
inline num num_sqrt(num x) { return count.root++, num(sqrt(x.x)); }
inline num num_atan2(num y, num x) { return count.sine++, num(atan2(y.x, x.x)); }
inline mask num_lt(num a, num b) { return -(mask)(a < b); }
inline num num_select(mask m, num a, num b) { return m ? a : b; }
inline int num_any(mask m) { return m != 0; }
inline lane num_get(num x, int) { return x; }
inline void num_set(num *x, int, lane value) { *x = value; }
inline void num_sincos(num x, num *s, num *c) { count.sine += 2, *s = num(sin(x.x)), *c = num(cos(x.x)); }
inline void num_sinccos(num t, num *s, num *c)
{
    double x = sqrt(t.x);
    count.root++, count.sine += 2, *s = num(x > 0 ? sin(x) / x : 1), *c = num(cos(x));
}

/* the source, with its own names: the library has them too */
#define double number
#define hml_recursive_size        counted_size
#define hml_rnea                  counted_rnea
#define hml_tree_open             counted_open
#define hml_tree_to_root          counted_to_root
#define hml_tree_subtract_passive counted_subtract_passive
#define HML_ALGO_WORK_H
#include "group/spatial.h"
#include "hamel/random.h"

static inline hml_status hml_work_check_state(const hml_model *, const number *, const number *, const number *,
                                              const number *)
{
    return HML_OK;
}

#define vec3_cross(a, b) (bump(&count.cross), vec3_cross(a, b))
#include "algo/reference/newton_euler.h"

/* what Müller counts: transformations of screws, of inertias, and brackets */
#define pose_ad(H, V)              (bump(&count.transform), pose_ad(H, V))
#define pose_ad_inverse(H, V)      (bump(&count.transform), pose_ad_inverse(H, V))
#define pose_ad_dual(H, F)         (bump(&count.transform), pose_ad_dual(H, F))
#define pose_ad_dual_inverse(H, F) (bump(&count.transform), pose_ad_dual_inverse(H, F))
#define mat3_mul_vec(R, a)         (bump(&count.rotation), mat3_mul_vec(R, a))
#define mat3_tmul_vec(R, a)        (bump(&count.rotation), mat3_tmul_vec(R, a))
#define inertia_turn(R, I)         (bump(&count.tensor), inertia_turn(R, I))
#define inertia_transform(H, I)    (bump(&count.tensor), inertia_transform(H, I))
#define twist_cross(A, B)          (bump(&count.bracket), twist_cross(A, B))
#define twist_cross_dual(A, B)     (bump(&count.bracket), twist_cross_dual(A, B))
#include "algo/reference/tree.c"

#include "algo/reference/rnea.c"
#undef double

static tally difference(tally a, tally b)
{
    return {a.add - b.add,         a.multiply - b.multiply,   a.divide - b.divide,     a.root - b.root,
            a.sine - b.sine,       a.transform - b.transform, a.rotation - b.rotation, a.tensor - b.tensor,
            a.bracket - b.bracket, a.cross - b.cross};
}

static void report(const char *form, int n, tally t)
{
    const struct {
        const char *what;
        long many;
    } lines[] = {{"multiplications", t.multiply},  {"additions", t.add},
                 {"divisions", t.divide + t.root}, {"sines", t.sine},
                 {"screws", t.transform},          {"vectors turned", t.rotation},
                 {"inertias", t.tensor},           {"brackets", t.bracket},
                 {"cross products", t.cross}};
    for (const auto &line : lines) printf("%s\t%d\t%s\t%ld\n", form, n, line.what, line.many);
}

/* the poses and columns alone, then each form without them */
static int run(int n)
{
    static const char *const forms[] = {"left", "right", "mixed", "split"};
    hml_random_spec spec;
    hml_model *model;
    hml_random_spec_init(&spec);
    spec.nbodies = n;
    spec.shape = HML_SHAPE_CHAIN;
    spec.root = HML_JOINT_REVOLUTE;
    if (hml_model_random(&spec, &model)) return 1;
    size_t nv = (size_t)n;
    number *q = (number *)calloc(4 * nv, sizeof *q), *v = q + nv, *a = v + nv, *tau = a + nv;
    void *scratch = malloc(counted_size(model));
    hml_status status = q && scratch ? HML_OK : HML_OUT_OF_MEMORY;
    for (int i = 0; q && i < n; i++) q[i] = number(0.1 * i), v[i] = number(0.3), a[i] = number(-0.2);
    tree t;
    count = tally();
    if (!status) status = counted_open(model, scratch, q, v, a, nullptr, &t);
    tally poses = count;
    report("poses", n, poses);
    for (int form = HML_LEFT; form <= HML_SPLIT && !status; form++) {
        count = tally();
        status = counted_rnea(model, scratch, (hml_representation)form, q, v, a, nullptr, tau);
        report(forms[form], n, difference(count, poses));
    }
    free(scratch), free(q);
    hml_model_free(model);
    return status;
}

int main(void)
{
    static const int sizes[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};
    for (int n : sizes) {
        if (run(n)) return 1;
    }
    return 0;
}
