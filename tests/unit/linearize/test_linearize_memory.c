/*
 * Once the workspace is there, nothing allocates: the program brings its own malloc, which counts. Only where the C
 * library lets a program do that (glibc), and not under sanitizers, which bring theirs.
 */
#include "dynamics_check.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define COUNTING 0
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTING 0
#endif
#endif
#if !defined COUNTING
#if defined __GLIBC__
#define COUNTING 1
#else
#define COUNTING 0
#endif
#endif

static unsigned long allocations;

#if COUNTING
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    allocations++;
    return __libc_realloc(p, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

void free(void *p) { __libc_free(p); }
#endif

static void compute_everything(robot *r)
{
    static blocks x;
    static double A[4 * NV * NV], M[NV * NV], dq[NV * NV], dv[NV * NV], h[NV], a[NV], gravity[NV], com[3], p[6];
    static double B[2 * NV * NV];
    int marks[NV];
    hml_dynamics_result d = {.struct_size = sizeof d};
    d.M = M, d.h = h, d.gravity = gravity, d.acceleration = a, d.com = com, d.momentum = p;
    hml_linearization call = {.struct_size = sizeof call};
    call.q.data = r->q, call.v.data = r->v, call.A.data = A, call.B.data = B;
    call.A.stride = call.B.stride = 0;
    assert_int_equal(robot_linearize(r, &x), HML_OK);
    assert_int_equal(hml_linearize(r->model, r->work, &call), HML_OK);
    assert_int_equal(hml_linearize_batch(r->model, r->work, 1, &call, NULL), HML_OK);
    assert_int_equal(hml_dynamics(r->model, r->work, r->q, r->v, r->tau, r->wrenches, &d), HML_OK);
    assert_int_equal(hml_inverse_dynamics(r->model, r->work, r->q, r->v, a, NULL, h), HML_OK);
    assert_int_equal(hml_forward_dynamics(r->model, r->work, r->q, r->v, h, NULL, a), HML_OK);
    assert_int_equal(hml_inverse_dynamics_derivatives(r->model, r->work, r->q, r->v, a, NULL, dq, dv, M), HML_OK);
    assert_int_equal(hml_singular_coordinates(r->model, r->work, r->q, marks), HML_OK);
    assert_int_equal(hml_configuration_integrate(r->model, r->q, r->v, x.Dq), HML_OK);
}

static void test_nothing_allocates_after_setup(void **state)
{
    (void)state;
    if (!COUNTING) skip();
    uint64_t seed = 41;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        robot r;
        unsigned long before = allocations;
        robot_open(&r, &seed, &robot_specs[i]);
        assert_true(allocations > before); /* the counter counts */
        before = allocations;
        compute_everything(&r);
        assert_int_equal(allocations, before);
        robot_close(&r);
    }
}

/* a workspace on the caller's memory: as large as it says, and not a byte beyond */
static void test_a_workspace_stays_in_its_memory(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int i = 0; i < ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i]);
        size_t size = hml_work_size(r.model, HML_ISA_BEST, HML_USE_ALL);
        unsigned char *memory = NULL;
        void *p = NULL;
        assert_int_equal(posix_memalign(&p, HML_WORK_ALIGN, size + 128), 0);
        memory = p;
        memset(memory, 0x5a, size + 128);
        hml_work *own = r.work;
        assert_int_equal(hml_work_init(memory, size - 1, r.model, HML_ISA_BEST, HML_USE_ALL, &r.work),
                         HML_INVALID_ARGUMENT);
        assert_int_equal(hml_work_init(memory + 8, size, r.model, HML_ISA_BEST, HML_USE_ALL, &r.work),
                         HML_INVALID_ARGUMENT);
        assert_int_equal(hml_work_init(memory, size, r.model, HML_ISA_BEST, HML_USE_ALL, &r.work), HML_OK);
        compute_everything(&r);
        for (size_t k = size; k < size + 128; k++) assert_int_equal(memory[k], 0x5a);
        free(memory);
        r.work = own;
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_allocates_after_setup),
        cmocka_unit_test(test_a_workspace_stays_in_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
