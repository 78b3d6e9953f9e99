/*
 * How many operations the four forms of the Newton-Euler recursion take: the library's own source, compiled once more
 * with a number that counts (num_counted.h). One line a measurement: form, bodies, what, how many. See
 * docs/newton-euler-forms.md. The robots are chains of revolute joints, as in Müller, section 4.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "limit/num_counted.h"

struct tally {
    operations op;
    long sine, transform, rotation, tensor, bracket, cross;
};
static tally calls;

inline void bump(long *x) { ++*x; }

inline num num_atan2(num y, num x) { return calls.sine++, num(atan2(y.x, x.x)); }
inline void num_sincos(num x, num *s, num *c) { calls.sine += 2, *s = num(sin(x.x)), *c = num(cos(x.x)); }
inline void num_sinccos(num t, num *s, num *c)
{
    double x = sqrt(t.x);
    count.root++, calls.sine += 2, *s = num(x > 0 ? sin(x) / x : 1), *c = num(cos(x));
}

/* since the last time it was asked */
static tally take(void)
{
    tally t = calls;
    t.op = count;
    calls = tally(), count = operations();
    return t;
}

/* the source, with its own names: the library has them too */
#define double number
#define hml_recursive_size         counted_size
#define hml_rnea                   counted_rnea
#define hmli_tree_motion           counted_motion
#define hmli_tree_open             counted_open
#define hmli_tree_to_root          counted_to_root
#define hmli_tree_subtract_passive counted_subtract_passive
#define hmli_tree_wrenches         counted_wrenches
#define HML_ALGO_WORK_H
#define HML_BASE_OVERFLOW_H          /* its outputs are doubles, and its flags are read with intrinsics of doubles */
#define OVERFLOW_STATUS(before, ...) ((void)(before), HML_OK)
#include "group/spatial.h"
#include "hamel/random.h"

static inline unsigned overflow_watch(void) { return 0; }

static inline hml_status hmli_work_check_state(const hml_model *, const number *, const number *, const number *,
                                               const number *)
{
    return HML_OK;
}

#define vec3_cross(a, b) (bump(&calls.cross), vec3_cross(a, b))
#include "reference/muller/newton_euler.h"

/* what Müller counts: transformations of screws, of inertias, and brackets */
#define pose_ad(H, V)              (bump(&calls.transform), pose_ad(H, V))
#define pose_ad_inverse(H, V)      (bump(&calls.transform), pose_ad_inverse(H, V))
#define pose_ad_dual(H, F)         (bump(&calls.transform), pose_ad_dual(H, F))
#define pose_ad_dual_inverse(H, F) (bump(&calls.transform), pose_ad_dual_inverse(H, F))
#define mat3_mul_vec(R, a)         (bump(&calls.rotation), mat3_mul_vec(R, a))
#define mat3_tmul_vec(R, a)        (bump(&calls.rotation), mat3_tmul_vec(R, a))
#define inertia_turn(R, I)         (bump(&calls.tensor), inertia_turn(R, I))
#define inertia_transform(H, I)    (bump(&calls.tensor), inertia_transform(H, I))
#define twist_cross(A, B)          (bump(&calls.bracket), twist_cross(A, B))
#define twist_cross_dual(A, B)     (bump(&calls.bracket), twist_cross_dual(A, B))
#include "reference/featherstone/tree.c"

#include "reference/featherstone/rnea.c"
#undef double

static tally difference(tally a, tally b)
{
    const operations x = a.op, y = b.op;
    return {{x.add - y.add, x.multiply - y.multiply, x.divide - y.divide, x.root - y.root},
            a.sine - b.sine,
            a.transform - b.transform,
            a.rotation - b.rotation,
            a.tensor - b.tensor,
            a.bracket - b.bracket,
            a.cross - b.cross};
}

static void report(const char *form, int n, tally t)
{
    const struct {
        const char *what;
        long many;
    } lines[] = {{"multiplications", t.op.multiply},
                 {"additions", t.op.add},
                 {"divisions", t.op.divide + t.op.root},
                 {"sines", t.sine},
                 {"screws", t.transform},
                 {"vectors turned", t.rotation},
                 {"inertias", t.tensor},
                 {"brackets", t.bracket},
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
    spec.shape = HML_RANDOM_CHAIN;
    spec.root = HML_JOINT_REVOLUTE;
    if (hml_model_random(&spec, &model)) return 1;
    size_t nv = (size_t)n;
    number *q = (number *)calloc(4 * nv, sizeof *q), *v = q + nv, *a = v + nv, *tau = a + nv;
    void *scratch = malloc(counted_size(model));
    hml_status status = q && scratch ? HML_OK : HML_OUT_OF_MEMORY;
    for (int i = 0; q && i < n; i++) q[i] = number(0.1 * i), v[i] = number(0.3), a[i] = number(-0.2);
    tree t;
    take();
    if (!status) status = counted_open(model, scratch, q, v, a, nullptr, &t);
    tally poses = take();
    report("poses", n, poses);
    for (int form = HML_LEFT; form <= HML_SPLIT && !status; form++) {
        status = counted_rnea(model, scratch, (hml_representation)form, q, v, a, nullptr, tau);
        report(forms[form], n, difference(take(), poses));
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
