/* Factors of M along the branches: they give M back, they solve, and they never touch what a tree does not have. */
#include "dynamics_check.h"
#include "hamel/reference/textbook.h"

/* what is not on or below the diagonal, or joins two branches, is NaN: whoever reads it is found out */
static void poison(size_t n, const int32_t *parents, double *M)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            int32_t k = (int32_t)i;
            while (k >= 0 && k != (int32_t)j) k = parents[k];
            if (k < 0) M[i * n + j] = NAN;
        }
    }
}

static void multiply(size_t n, const double *M, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] = 0;
        for (size_t k = 0; k < n; k++) y[i] += M[i * n + k] * x[k];
    }
}

static void test_factors_products_and_solves(void **state)
{
    (void)state;
    static double M[NV * NV], L[NV * NV], T[NV * NV], D[NV * NV];
    uint64_t seed = 101;
    for (int t = 0; t < 10 * ROBOT_SPECS; t++) {
        robot r;
        int32_t parents[NV];
        double x[NV] = {0}, Mx[NV] = {0}, y[NV];
        robot_open(&r, &seed, &robot_specs[t % ROBOT_SPECS]);
        size_t n = r.nv;
        int32_t nv = (int32_t)n;
        void *scratch = malloc(hml_recursive_size(r.model));
        assert_int_equal(hml_crba(r.model, scratch, HML_CRBA_BODY, r.q, M), HML_OK);
        assert_int_equal(hml_coordinate_parents(r.model, parents), HML_OK);
        memcpy(T, M, sizeof T);
        poison(n, parents, T);
        memcpy(L, T, sizeof L), memcpy(D, T, sizeof D);
        for (size_t i = 0; i < n; i++) x[i] = draw(&seed);
        multiply(n, M, x, Mx);

        assert_int_equal(hml_tree_multiply(nv, parents, T, x, y), HML_OK);
        assert_near("M x", y, Mx, n, 1e-14);
        assert_int_equal(hml_ltl_factor(nv, parents, L), HML_OK);
        assert_int_equal(hml_ltdl_factor(nv, parents, D), HML_OK);

        memcpy(y, x, sizeof y); /* Lᵀ (L x) */
        assert_int_equal(hml_factor_multiply(nv, parents, L, HML_DIAGONAL_STORED, 0, y), HML_OK);
        assert_int_equal(hml_factor_multiply(nv, parents, L, HML_DIAGONAL_STORED, 1, y), HML_OK);
        assert_near("LᵀL x", y, Mx, n, 1e-13);
        memcpy(y, x, sizeof y); /* Lᵀ D (L x) */
        assert_int_equal(hml_factor_multiply(nv, parents, D, HML_DIAGONAL_UNIT, 0, y), HML_OK);
        for (size_t i = 0; i < n; i++) y[i] *= D[i * n + i];
        assert_int_equal(hml_factor_multiply(nv, parents, D, HML_DIAGONAL_UNIT, 1, y), HML_OK);
        assert_near("LᵀDL x", y, Mx, n, 1e-13);

        memcpy(y, Mx, sizeof y); /* L⁻¹ L⁻ᵀ M x */
        assert_int_equal(hml_factor_solve(nv, parents, L, HML_DIAGONAL_STORED, 1, y), HML_OK);
        assert_int_equal(hml_factor_solve(nv, parents, L, HML_DIAGONAL_STORED, 0, y), HML_OK);
        assert_near("solve with LᵀL", y, x, n, 1e-10); /* condition of M */
        memcpy(y, Mx, sizeof y);
        assert_int_equal(hml_factor_solve(nv, parents, D, HML_DIAGONAL_UNIT, 1, y), HML_OK);
        for (size_t i = 0; i < n; i++) y[i] /= D[i * n + i];
        assert_int_equal(hml_factor_solve(nv, parents, D, HML_DIAGONAL_UNIT, 0, y), HML_OK);
        assert_near("solve with LᵀDL", y, x, n, 1e-10);
        free(scratch);
        robot_close(&r);
    }
}

static void test_a_pivot_that_is_not_positive(void **state)
{
    (void)state;
    const int32_t parents[2] = {-1, 0};
    double M[4] = {1, 0, 1, 1}, D[4] = {1, 0, 1, 1}; /* [1 1; 1 1], its lower triangle */
    assert_int_equal(hml_ltl_factor(2, parents, M), HML_SINGULAR);
    assert_int_equal(hml_ltdl_factor(2, parents, D), HML_SINGULAR);
}

static void test_missing_arguments(void **state)
{
    (void)state;
    double M[4] = {1, 0, 0, 1};
    assert_int_equal(hml_ltl_factor(2, NULL, M), HML_INVALID_ARGUMENT);
    const int32_t none[2] = {-1, -1};
    double x[2] = {0}, y[2];
    assert_int_equal(hml_ltdl_factor(2, none, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_multiply(-1, none, M, HML_DIAGONAL_UNIT, 0, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_multiply(2, NULL, M, HML_DIAGONAL_UNIT, 0, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_multiply(2, none, NULL, HML_DIAGONAL_UNIT, 0, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_multiply(2, none, M, HML_DIAGONAL_UNIT, 0, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_solve(2, NULL, M, HML_DIAGONAL_UNIT, 0, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_solve(2, none, NULL, HML_DIAGONAL_UNIT, 0, x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_factor_solve(2, none, M, HML_DIAGONAL_UNIT, 0, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_tree_multiply(2, NULL, M, x, y), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_tree_multiply(2, none, M, NULL, y), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_coordinate_parents(NULL, NULL), HML_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factors_products_and_solves),
        cmocka_unit_test(test_a_pivot_that_is_not_positive),
        cmocka_unit_test(test_missing_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
