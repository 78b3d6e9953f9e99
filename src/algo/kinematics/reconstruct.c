/* Poses from twists: see hamel/motion.h. */
#include "hamel/motion.h"

#include "group/arrays.h"

static twist sample(const double *twists, size_t k)
{
    return twist_of(vec3_at(twists + 6 * k), vec3_at(twists + 6 * k + 3));
}

/* slope of the parabola through three neighbouring samples, at sample k; of the line, if there are but two */
static twist slope(size_t n, const double *t, const double *twists, size_t k)
{
    if (n == 2) return twist_scale(1 / (t[1] - t[0]), twist_sub(sample(twists, 1), sample(twists, 0)));
    size_t i = k == 0 ? 0 : k + 1 == n ? n - 3 : k - 1;
    double a = t[i + 1] - t[i], b = t[i + 2] - t[i + 1];
    twist left = twist_scale(1 / a, twist_sub(sample(twists, i + 1), sample(twists, i)));
    twist right = twist_scale(1 / b, twist_sub(sample(twists, i + 2), sample(twists, i + 1)));
    twist bend = twist_scale(1 / (a + b), twist_sub(right, left)); /* half the second derivative */
    return twist_axpy(2 * t[k] - t[i] - t[i + 1], bend, left);
}

/* V at the start, the middle and the end of an interval */
typedef struct piece {
    twist V[3];
    double h;
} piece;

static piece piece_of(size_t n, const double *t, const double *twists, size_t k)
{
    piece p = {.h = t[k + 1] - t[k]};
    p.V[0] = sample(twists, k);
    p.V[2] = sample(twists, k + 1);
    twist bend = twist_sub(slope(n, t, twists, k), slope(n, t, twists, k + 1));
    p.V[1] = twist_axpy(p.h / 8, bend, twist_scale(0.5, twist_add(p.V[0], p.V[2])));
    return p;
}

/* the first half of a piece; its own middle lies on the parabola through the three */
static piece first_half(const piece *p)
{
    piece half = {.h = p->h / 2};
    half.V[0] = p->V[0];
    half.V[2] = p->V[1];
    half.V[1] = twist_add(twist_scale(0.375, p->V[0]), twist_axpy(0.75, p->V[1], twist_scale(-0.125, p->V[2])));
    return half;
}

/* Ω = h/6 (V₀ + 4 V_m + V₁) ± h²/12 [V₀, V₁]; plus for body twists (Magnus) */
static twist increment(const piece *p, int spatial)
{
    twist sum = twist_axpy(4, p->V[1], twist_add(p->V[0], p->V[2]));
    double c = spatial ? -p->h * p->h / 12 : p->h * p->h / 12;
    return twist_axpy(c, twist_cross(p->V[0], p->V[2]), twist_scale(p->h / 6, sum));
}

/* the angular part alone: twist_cross of pure rotations is the one of so(3) */
static mat3 turned(mat3 R, const piece *p, int spatial)
{
    piece turn = *p;
    for (int i = 0; i < 3; i++) turn.V[i].v = vec3_zero();
    mat3 E = so3_exp(increment(&turn, spatial).w);
    return spatial ? mat3_mul(E, R) : mat3_mul(R, E);
}

/* ṙ = v + ω × r, for a spatial twist */
static vec3 spatial_rate(twist V, vec3 r) { return vec3_add(V.v, vec3_cross(V.w, r)); }

static pose move_on_product(pose C, const piece *p, int spatial)
{
    piece half = first_half(p);
    mat3 middle = turned(C.R, &half, spatial), end = turned(C.R, p, spatial);
    vec3 k[4];
    if (spatial) { /* the classical four stages */
        k[0] = spatial_rate(p->V[0], C.p);
        k[1] = spatial_rate(p->V[1], vec3_axpy(p->h / 2, k[0], C.p));
        k[2] = spatial_rate(p->V[1], vec3_axpy(p->h / 2, k[1], C.p));
        k[3] = spatial_rate(p->V[2], vec3_axpy(p->h, k[2], C.p));
    } else { /* ṙ = R v: Simpson's rule */
        k[0] = mat3_mul_vec(C.R, p->V[0].v);
        k[1] = k[2] = mat3_mul_vec(middle, p->V[1].v);
        k[3] = mat3_mul_vec(end, p->V[2].v);
    }
    vec3 sum = vec3_axpy(2, vec3_add(k[1], k[2]), vec3_add(k[0], k[3]));
    return pose_of(end, vec3_axpy(p->h / 6, sum, C.p));
}

static pose move(pose C, const piece *p, int spatial, hml_pose_update update)
{
    if (update == HML_UPDATE_SO3_R3) return move_on_product(C, p, spatial);
    pose E = se3_exp(increment(p, spatial));
    return spatial ? pose_mul(E, C) : pose_mul(C, E);
}

/* rounding turns a product of many rotations slowly into none; one step of Newton's method brings it back */
static mat3 orthonormal(mat3 R)
{
    mat3 E = mat3_sub(mat3_tmul(R, R), mat3_identity()), T = mat3_mul(R, E);
    return mat3_of(vec3_axpy(-0.5, T.x, R.x), vec3_axpy(-0.5, T.y, R.y), vec3_axpy(-0.5, T.z, R.z));
}

hml_status hml_reconstruct(size_t n, const double *times, const double *twists, int spatial, hml_pose_update update,
                           const double H0[16], double *H)
{
    pose C;
    if (n == 0 || !times || !twists || !H || update < HML_UPDATE_SE3 || update > HML_UPDATE_SO3_R3) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(read_placement(H0, &C));
    for (size_t k = 0; k < n; k++) {
        TRY(read_check(times + k, 1));
        TRY(read_check(twists + 6 * k, 6));
        if (k > 0 && !(times[k] > times[k - 1])) return HML_INVALID_ARGUMENT;
    }
    C.R = orthonormal(C.R);
    for (size_t k = 0; k < n; k++) {
        pose_matrix(C, H + 16 * k);
        if (k + 1 == n) break;
        piece p = piece_of(n, times, twists, k);
        C = move(C, &p, spatial, update);
        C.R = orthonormal(C.R);
    }
    return HML_OK;
}
