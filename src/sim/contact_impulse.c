/*
 * An impact by itself: the laws of hamel/contact.h for impulses, on the rows and the solver of a step.
 *
 * The solver finds P with w = K P + base, 0 ≤ P_n ⊥ w_n ≥ 0 and Coulomb's law for w_t. With base = w⁻ for the tangents
 * and base_n = w_n⁻ + e min(w_n⁻, 0) for the normals its w_n is w_n⁺ + e min(w_n⁻, 0), and these are Newton's laws.
 *
 * The change of kinetic energy is ½ Λᵀ(w⁻ + w⁺). With e = 0: Λᵀw⁺ ≤ 0 by the laws, Λᵀw⁻ = Λᵀw⁺ − ΛᵀKΛ ≤ 0, so it falls.
 */
#include <math.h>
#include <string.h>

#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "sim/contact.h"

static hml_contact_settings settings_for(int32_t count)
{
    static const hml_shape none;
    hml_contact_settings s = {.struct_size = sizeof s, .shapes = &none, .options = HML_CONTACT_NO_LIMITS};
    s.max_contacts = count > 0 ? count : 1;
    s.tolerance = 1e-10;
    return s;
}

size_t hml_contact_impulse_size(const hml_model *model, int32_t count)
{
    const hml_contact_settings s = settings_for(count);
    return model && count >= 0 ? hml_contact_size(model, &s) : 0;
}

static hml_status read_site(const hml_model *model, const hml_contact_site *site, touch *t)
{
    vec3 n;
    if (site->frame < 0 || site->frame >= model->nframes) return HML_INVALID_ARGUMENT;
    if (site->other < HML_WORLD || site->other >= model->nframes) return HML_INVALID_ARGUMENT;
    TRY(read_vec3(site->position, &t->point));
    TRY(read_vec3(site->normal, &n));
    TRY(read_check(&site->friction, 1));
    TRY(read_check(&site->restitution, 1));
    const double size = sqrt(vec3_dot(n, n));
    if (!(size > 0) || site->friction < 0 || site->restitution < 0 || site->restitution > 1) {
        return HML_INVALID_ARGUMENT;
    }
    t->normal = vec3_scale(1 / size, n);
    hmli_collide_tangents(t);
    t->body = model_frames(model)[site->frame].body;
    t->other_body = site->other < 0 ? -1 : model_frames(model)[site->other].body;
    t->friction = site->friction;
    t->restitution = site->restitution;
    return HML_OK;
}

/* P, with this part of every restitution; the residual */
static double solve(hml_contact *c, double part, int32_t *iterations)
{
    memset(c->P, 0, (size_t)c->nrows * sizeof(double));
    for (int32_t i = 0; i < c->nrows; i++) {
        double back = c->rows[i].kind == ROW_CONTACT ? c->now.items[c->rows[i].index].restitution : 0;
        c->base[i] = c->before[i] + part * back * fmin(c->before[i], 0);
    }
    contact_answer answer = hmli_contact_solve(c);
    *iterations = answer.iterations;
    return answer.residual;
}

/* ½ Pᵀ (w⁻ + w⁺), w⁺ − w⁻ = J M⁻¹ Jᵀ P */
static double energy(hml_contact *c)
{
    double sum = 0;
    hmli_contact_push(c, c->P, c->x);
    hmli_contact_row_velocities(c, c->x, c->w);
    for (int32_t i = 0; i < c->nrows; i++) sum += 0.5 * c->P[i] * (2 * c->before[i] + c->w[i]);
    return sum;
}

/* the largest part of the restitutions with which energy does not grow; P is that of it */
static hml_status find_part(hml_contact *c, double allowed, hml_contact_impact *impact)
{
    double low = 0, high = 1, part = 1;
    for (int halvings = 0; halvings < 60; halvings++) {
        impact->residual = solve(c, part, &impact->iterations);
        impact->work = energy(c);
        impact->restitution = part;
        const int good = impact->residual <= c->tolerance && impact->work <= allowed;
        if (good && part == 1) return HML_OK;
        if (part == low) break;
        if (good)
            low = part;
        else
            high = part;
        part = high - low < 1e-9 ? low : 0.5 * (low + high);
    }
    if (!isfinite(impact->residual)) return HML_NOT_FINITE;
    return impact->residual <= c->tolerance ? HML_OK : HML_NOT_CONVERGED;
}

static double kinetic_energy(const hml_contact *c, const double *v)
{
    double sum = 0;
    memcpy(c->x, v, c->n * sizeof(double));
    hml_factor_multiply(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 0, c->x);
    for (size_t k = 0; k < c->n; k++) sum += 0.5 * c->x[k] * c->x[k];
    return sum;
}

static hml_status collide(hml_contact *c, hml_work *work, const hml_contact_collision *x, hml_contact_impact *r)
{
    int massless;
    memcpy(c->q, x->q, (size_t)c->model->nq * sizeof(double));
    memset(c->x, 0, c->n * sizeof(double));
    memcpy(c->v, c->x, c->n * sizeof(double));
    TRY(hmli_contact_pose(c, work));
    TRY(hmli_contact_factor(c, work, 0, c->v, NULL, NULL, &massless)); /* the bias has no part in it */
    for (int32_t i = 0; i < x->count; i++) {
        touch t = {.shape = i, .other = -1, .feature = 0};
        TRY(read_site(c->model, &x->sites[i], &t));
        c->now.items[i] = t;
    }
    c->now.count = x->count;
    TRY(hmli_contact_factor_loops(c));
    hmli_contact_list_rows(c, 0);
    hmli_contact_fill_rows(c);
    hmli_contact_row_velocities(c, x->v, c->before);
    memcpy(c->free, x->v, c->n * sizeof(double));
    TRY(find_part(c, 1e-13 * kinetic_energy(c, x->v), r));
    hmli_contact_push(c, c->P, c->x);
    for (size_t k = 0; x->v_next && k < c->n; k++) x->v_next[k] = x->v[k] + c->x[k];
    r->closed = 0;
    for (int32_t i = 0; i < x->count; i++) {
        const touch *t = &c->now.items[i];
        const double *P = c->P + 3 * i;
        r->closed += P[0] > 0;
        if (x->impulse) {
            write_vec3(vec3_axpy(P[2], t->t2, vec3_axpy(P[1], t->t1, vec3_scale(P[0], t->normal))), x->impulse + 3 * i);
        }
    }
    return FINITE_STATUS({x->v_next, c->n}, {x->impulse, 3 * (size_t)x->count});
}

hml_status hml_contact_impulse(const hml_model *model, hml_work *work, void *memory, size_t size,
                               const hml_contact_collision *arguments)
{
    hml_contact_collision room;
    hml_contact_impact impact = {0};
    const hml_contact_collision *x = STRUCT_TAKE(hml_contact_collision, arguments, &room, v);
    hml_contact *c;
    if (!x || hmli_work_check(model, work, HML_USE_ALL) || x->count < 0 || (x->count && !x->sites) || !x->q || !x->v) {
        return HML_INVALID_ARGUMENT;
    }
    if (!struct_is_writable(x->impact, STRUCT_END(hml_contact_impact, closed))) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, x->q, x->v, NULL, NULL));
    const hml_contact_settings settings = settings_for(x->count);
    TRY(hml_contact_init(memory, size, model, &settings, &c));
    hml_status status = collide(c, work, x, &impact);
    struct_give(x->impact, &impact, sizeof impact);
    return status;
}
