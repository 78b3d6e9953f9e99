/* Spatial inertia: the public functions of hamel/rigid_body.h. */
#include "hamel/rigid_body.h"

#include "group/arrays.h"

static hml_status read_inertia(const double x[10], inertia *I)
{
    TRY(read_check(x, 10));
    *I = inertia_at(x);
    return HML_OK;
}

static hml_status write_inertia(inertia I, double out[10])
{
    TRY(write_number(I.m, out));
    TRY(write_vec3(I.h, out + 1));
    TRY(write_vec3(vec3_of(I.J.xx, I.J.xy, I.J.xz), out + 4));
    return write_vec3(vec3_of(I.J.yy, I.J.yz, I.J.zz), out + 7);
}

static sym3 symmetric_part(mat3 A)
{
    return sym3_of(A.x.x, 0.5 * (A.x.y + A.y.x), 0.5 * (A.x.z + A.z.x), A.y.y, 0.5 * (A.y.z + A.z.y), A.z.z);
}

/* moment about the centre of mass: J + m c^ c^ */
static sym3 moment_at_com(inertia I)
{
    return sym3_add(I.J, sym3_point_mass(-1 / I.m, I.h)); /* m c = h, so m·(c cᵀ) = h hᵀ/m */
}

/* ---- making ---- */

hml_status hml_inertia_from_com(double mass, const double com[3], const double moment[9], double parameters[10])
{
    num m;
    vec3 c;
    mat3 A;
    TRY(read_number(mass, &m));
    TRY(read_vec3(com, &c));
    TRY(read_rotation(moment, &A));
    return write_inertia(inertia_of_com(m, c, symmetric_part(A)), parameters);
}

hml_status hml_inertia_to_com(const double parameters[10], double *mass, double com[3], double moment[9])
{
    inertia A;
    TRY(read_inertia(parameters, &A));
    if (A.m == 0) return HML_SINGULAR;
    TRY(write_number(A.m, mass));
    TRY(write_vec3(vec3_scale(1 / A.m, A.h), com));
    if (!moment) return HML_INVALID_ARGUMENT;
    mat3_put(mat3_of_sym(moment_at_com(A)), moment, 3);
    return HML_OK;
}

hml_status hml_inertia_matrix(const double parameters[10], double M[36])
{
    inertia A;
    TRY(read_inertia(parameters, &A));
    if (!M) return HML_INVALID_ARGUMENT;
    inertia_matrix(A, M);
    return HML_OK;
}

hml_status hml_inertia_from_matrix(const double M[36], double tolerance, double parameters[10])
{
    TRY(read_check(M, 36));
    TRY(read_check(&tolerance, 1));
    mat3 up = mat3_at(M + 3, 6), low = mat3_at(M + 18, 6), skew = mat3_sub(low, up); /* 2 h^, when all is well */
    vec3 h = vec3_of(skew.y.z - skew.z.y, skew.z.x - skew.x.z, skew.x.y - skew.y.x);
    inertia A = inertia_of((M[0] + M[7] + M[14]) / 3, vec3_scale(0.25, h), symmetric_part(mat3_at(M + 21, 6)));
    double near[36], most = 0, off = 0;
    inertia_matrix(A, near);
    for (int i = 0; i < 36; i++) {
        most = fmax(most, fabs(M[i]));
        off = fmax(off, fabs(M[i] - near[i]));
    }
    return off <= tolerance * most ? write_inertia(A, parameters) : HML_INVALID_ARGUMENT;
}

hml_status hml_inertia_add(const double I1[10], const double I2[10], double sum[10])
{
    inertia A, B;
    TRY(read_inertia(I1, &A));
    TRY(read_inertia(I2, &B));
    return write_inertia(inertia_add(A, B), sum);
}

hml_status hml_inertia_transform(const double H_ab[16], const double I_b[10], double I_a[10])
{
    pose H;
    inertia A;
    TRY(read_pose(H_ab, &H));
    TRY(read_inertia(I_b, &A));
    return write_inertia(inertia_transform(H, A), I_a);
}

/* ---- using ---- */

hml_status hml_inertia_mul(const double parameters[10], const double V[6], double momentum[6])
{
    inertia A;
    twist U;
    TRY(read_inertia(parameters, &A));
    TRY(read_twist(V, &U));
    return write_wrench(inertia_mul(A, U), momentum);
}

hml_status hml_inertia_kinetic_energy(const double parameters[10], const double V[6], double *energy)
{
    inertia A;
    twist U;
    TRY(read_inertia(parameters, &A));
    TRY(read_twist(V, &U));
    return write_number(0.5 * wrench_dot(inertia_mul(A, U), U), energy);
}

/* ---- checking ---- */

/* One of Jacobi's rotations: makes A[p][q] zero. The columns of E turn along. */
static void jacobi_rotate(double A[3][3], double E[3][3], int p, int q)
{
    if (A[p][q] == 0) return;
    double d = A[q][q] - A[p][p], twice = 2 * A[p][q];
    double t = d == 0 ? 1 : (d < 0 ? -twice : twice) / (fabs(d) + hypot(d, twice)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
        double a = A[k][p], b = A[k][q];
        A[k][p] = c * a - s * b, A[k][q] = s * a + c * b;
    }
    for (int k = 0; k < 3; k++) {
        double a = A[p][k], b = A[q][k];
        A[p][k] = c * a - s * b, A[q][k] = s * a + c * b;
    }
    A[p][q] = A[q][p] = 0;
    for (int k = 0; k < 3; k++) {
        double a = E[k][p], b = E[k][q];
        E[k][p] = c * a - s * b, E[k][q] = s * a + c * b;
    }
}

static void swap_columns(double lambda[3], double E[3][3], int i, int j)
{
    double l = lambda[i];
    lambda[i] = lambda[j], lambda[j] = l;
    for (int k = 0; k < 3; k++) { /* with a sign, so that E stays right-handed */
        double e = E[k][i];
        E[k][i] = E[k][j], E[k][j] = -e;
    }
}

/* eigenvalues, ascending, and eigenvectors in the columns of E; Jacobi's method converges quadratically */
static void principal(sym3 S, double lambda[3], double E[3][3])
{
    double A[3][3] = {{S.xx, S.xy, S.xz}, {S.xy, S.yy, S.yz}, {S.xz, S.yz, S.zz}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) E[i][j] = i == j;
    }
    enum { SWEEPS = 8 }; /* five reach round-off; zeros stop the rest */
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        jacobi_rotate(A, E, 0, 1), jacobi_rotate(A, E, 0, 2), jacobi_rotate(A, E, 1, 2);
    }
    for (int i = 0; i < 3; i++) lambda[i] = A[i][i];
    if (lambda[1] < lambda[0]) swap_columns(lambda, E, 0, 1);
    if (lambda[2] < lambda[1]) swap_columns(lambda, E, 1, 2);
    if (lambda[1] < lambda[0]) swap_columns(lambda, E, 0, 1);
}

hml_status hml_inertia_check(const double parameters[10], double tolerance, unsigned *problems, double moments[3],
                             double axes[9])
{
    inertia A;
    TRY(read_inertia(parameters, &A));
    TRY(read_check(&tolerance, 1));
    if (!problems || tolerance < 0) return HML_INVALID_ARGUMENT;
    double lambda[3], E[3][3];
    principal(A.m > 0 ? moment_at_com(A) : A.J, lambda, E);
    *problems = 0;
    if (!(A.m > 0)) *problems |= HML_INERTIA_MASS;
    if (!(lambda[2] > 0 && lambda[0] > tolerance * lambda[2])) *problems |= HML_INERTIA_MOMENT;
    if (lambda[0] + lambda[1] < lambda[2] - tolerance * fabs(lambda[2])) *problems |= HML_INERTIA_TRIANGLE;
    for (int i = 0; moments && i < 3; i++) moments[i] = lambda[i];
    for (int i = 0; axes && i < 9; i++) axes[i] = E[i / 3][i % 3];
    return HML_OK;
}

const char *hml_inertia_problem_message(unsigned problems)
{
    if (problems & HML_INERTIA_MASS) return "the mass is not positive";
    if (problems & HML_INERTIA_MOMENT) return "the moment of inertia about the centre of mass is not positive definite";
    if (problems & HML_INERTIA_TRIANGLE) return "a principal moment of inertia is larger than the sum of the other two";
    return problems ? "an unknown problem" : "no problem";
}
