/* The same robot said in another way: saved and loaded, copied, taken apart, merged, scaled, rerooted. */
#include "agree.h"

/* numbers of one model in the order of another, by the names of the joints; 0 where they do not have the same */
static int same_state(const subject *x, const hml_model *to, int s, double *q, double *v, double *tau)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    if (hml_model_nq(to) != x->nq || hml_model_nv(to) != x->nv) return 0;
    memcpy(q, x->q + (size_t)s * nq, nq * sizeof *q), memcpy(v, x->v + (size_t)s * nv, nv * sizeof *v);
    memcpy(tau, x->tau + (size_t)s * nv, nv * sizeof *tau);
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info a = {.struct_size = sizeof a}, b = {.struct_size = sizeof b};
        hml_model_joint(x->model, j, &a);
        const int32_t k = hml_model_find_joint(to, a.name);
        if (a.nv == 0) continue;
        if (k < 0 || hml_model_joint(to, k, &b) || b.v != a.v || b.q != a.q || b.nv != a.nv) return 0;
    }
    return 1;
}

static hml_work *work_for(subject *x, const hml_model *m, hml_isa isa)
{
    hml_work *work = NULL;
    const size_t size = hml_work_size(m, isa, HML_USE_ALL);
    return hml_work_init(room_bytes(x->g, size, HML_WORK_ALIGN), size, m, isa, HML_USE_ALL, &work) ? NULL : work;
}

/* wrenches by the names of bodies, where the other model has them; 0 if one of them is lost */
static int same_wrenches(subject *x, const hml_model *to, int s, const double **out)
{
    const double *w = wrenches_of(x, s);
    double *moved = room(x->g, 6 * (size_t)hml_model_nbodies(to));
    *out = NULL;
    if (!w) return 1;
    for (int i = 0; i < 6 * hml_model_nbodies(to); i++) moved[i] = 0;
    for (int32_t b = 0; b < x->nb; b++) {
        hml_body_info info = {.struct_size = sizeof info};
        hml_model_body(x->model, b, &info);
        const int32_t k = hml_model_find_body(to, info.name);
        if (k < 0) return 0;
        memcpy(moved + 6 * k, w + 6 * b, 6 * sizeof *moved);
    }
    *out = moved;
    return 1;
}

static hml_status linearize_with(subject *x, const hml_model *m, hml_work *work, int s, int batch, const double *w,
                                 single *out)
{
    double *q = room(x->g, (size_t)x->nq), *v = room(x->g, (size_t)x->nv), *tau = room(x->g, (size_t)x->nv);
    if (!work || !same_state(x, m, s, q, v, tau)) return HML_INVALID_ARGUMENT;
    hml_linearization l = {.struct_size = sizeof l, .q.data = q, .v.data = v, .tau.data = tau, .wrenches.data = w};
    l.acceleration.data = out->a, l.Dq.data = out->Dq, l.Dv.data = out->Dv, l.Minv.data = out->Minv;
    return batch ? hml_linearize_batch(m, work, 1, &l, NULL) : hml_linearize(m, work, &l);
}

static void note_bits_of(subject *x, kind k, const char *call, int s, const single *one, const single *other)
{
    const size_t nv = (size_t)x->nv;
    note_bits(x, k, call, s, one->a, other->a, nv);
    note_bits(x, k, call, s, one->Dq, other->Dq, nv * nv);
    note_bits(x, k, call, s, one->Dv, other->Dv, nv * nv);
    note_bits(x, k, call, s, one->Minv, other->Minv, nv * nv);
}

static void note_near(subject *x, kind k, const char *call, int s, const single *one, const single *other)
{
    const size_t nv = (size_t)x->nv;
    const how here = {s, UP, PLAIN, x->force[s], 1};
    note(x, k, call, here, one->a, other->a, nv, 1);
    note(x, k, call, here, one->Dq, other->Dq, nv, nv);
    note(x, k, call, here, one->Dv, other->Dv, nv, nv);
    note(x, k, call, (how){s, UP, UP, 1, 1}, one->Minv, other->Minv, nv, nv);
}

/* a model that must be the very same */
static void check_twin(subject *x, kind k, const char *call, int s, hml_model *twin, const single *here)
{
    const double *w = NULL;
    single there = single_new(x);
    if (!twin) return;
    if (!x->regular && same_wrenches(x, twin, s, &w)) {
        hml_status status = linearize_with(x, twin, work_for(x, twin, HML_ISA_BEST), s, 0, w, &there);
        note_status(x, KIND_status, call, s, status, HML_OK);
        note_bits_of(x, k, call, s, &there, here);
    }
    hml_model_free(twin);
}

static void check_json(subject *x, int s, const single *here)
{
    char *text = NULL, differs[200] = "";
    size_t size = 0;
    hml_model *twin = NULL;
    hml_load_options options;
    hml_load_options_init(&options);
    options.format = HML_FORMAT_JSON, options.build = x->recipe->build;
    hml_status status = hml_write_json(x->model, &text, &size, NULL);
    note_status(x, KIND_status, "hml_write_json", s, status, HML_OK);
    if (status) return;
    status = hml_load_memory(text, size, "agree.json", &options, &twin, NULL);
    note_status(x, KIND_status, "hml_load_memory of JSON", s, status, HML_OK);
    hml_text_free(text);
    if (status) return;
    hml_inertia_spec world; /* what is part of the world is not written */
    hml_model_world_inertia(x->model, &world);
    const double same = hml_model_equal(x->model, twin, 0, differs, sizeof differs), one = 1;
    if (!(world.mass > 0)) note_bits(x, KIND_json_model, differs, s, &same, &one, 1);
    check_twin(x, KIND_json_bits, "JSON", s, twin, here);
}

static void check_urdf(subject *x, int s, const single *here)
{
    char *text = NULL;
    size_t size = 0;
    hml_model *twin = NULL;
    const double *w = NULL, gravity[3] = {x->recipe->gravity[0], x->recipe->gravity[1], x->recipe->gravity[2]};
    hml_load_options options;
    single there = single_new(x);
    if (hml_write_urdf(x->model, &text, &size, NULL)) return; /* it cannot be said there */
    hml_load_options_init(&options);
    options.format = HML_FORMAT_URDF, options.build = x->recipe->build, options.gravity = gravity;
    if (!strstr(text, "<link name=\"world\"")) options.base = HML_BASE_FREE; /* a free root is left out there */
    hml_status status = hml_load_memory(text, size, "agree.urdf", &options, &twin, NULL);
    note_status(x, KIND_status, "hml_load_memory of URDF", s, status, HML_OK);
    hml_text_free(text);
    if (status) return;
    if (!x->regular && same_wrenches(x, twin, s, &w) &&
        !linearize_with(x, twin, work_for(x, twin, HML_ISA_BEST), s, 0, w, &there))
        note_near(x, KIND_urdf_A, "URDF", s, &there, here);
    hml_model_free(twin);
}

void check_saved(subject *x)
{
    const int s = hml_rng_below(&x->rng, x->nstates);
    single here = single_new(x);
    hml_model *twin = NULL;
    char differs[200] = "";
    if (!x->regular) single_linearize(x, x->work, s, &here);
    check_json(x, s, &here);
    check_urdf(x, s, &here);
    note_status(x, KIND_status, "hml_model_from_data", s,
                hml_model_from_data(hml_model_data(x->model), hml_model_size(x->model), &twin), HML_OK);
    check_twin(x, KIND_block_bits, "hml_model_from_data", s, twin, &here);
    twin = NULL;
    if (!hml_model_copy(x->model, &twin)) check_twin(x, KIND_block_bits, "hml_model_copy", s, twin, &here);

    hml_builder *b = NULL;
    twin = NULL;
    if (!hml_model_to_builder(x->model, &b)) {
        const hml_status status = hml_builder_build(b, x->recipe->build, &twin, NULL);
        note_status(x, KIND_status, "hml_model_to_builder", s, status, HML_OK);
        const double same = !status && hml_model_equal(x->model, twin, 1e-14, differs, sizeof differs), one = 1;
        note(x, KIND_rebuilt, differs, (how){s, PLAIN, PLAIN, 1, 0}, &same, &one, 1, 1);
        hml_model_free(twin);
    }
    hml_builder_free(b);
    recipe *r = room_bytes(x->g, sizeof *r, sizeof(double)); /* what the queries say is the whole robot */
    twin = NULL;
    if (recipe_from_model(r, x->model) && !recipe_build(r, x->recipe->build, &twin, NULL)) {
        const double *w = NULL;
        single there = single_new(x);
        if (!x->regular && same_wrenches(x, twin, s, &w) &&
            !linearize_with(x, twin, work_for(x, twin, HML_ISA_BEST), s, 0, w, &there))
            note_near(x, KIND_urdf_A, "built from what the queries say", s, &there, &here);
    }
    hml_model_free(twin);
}

/* ---- fixed bodies merged and kept; other units ---- */

void check_merged(subject *x)
{
    const size_t nv = (size_t)x->nv;
    const int s = hml_rng_below(&x->rng, x->nstates);
    const double *w = wrenches_of(x, s), *w2 = NULL, force = x->force[s];
    hml_model *m = NULL;
    double *q = room(x->g, (size_t)x->nq), *v = room(x->g, nv), *tau = room(x->g, nv), *M = room(x->g, nv * nv);
    double *one = room(x->g, nv), *other = room(x->g, nv);
    if (recipe_build(x->recipe, x->recipe->build ^ HML_BUILD_KEEP_FIXED, &m, NULL)) return;
    hml_work *work = work_for(x, m, HML_ISA_BEST);
    if (work && same_state(x, m, s, q, v, tau)) {
        const int pushed = same_wrenches(x, m, s, &w2);
        const double *a = x->a + (size_t)s * nv;
        if (!pushed) w = w2 = NULL;
        if (!hml_mass_matrix(m, work, q, M))
            note(x, KIND_merged_M, "hml_mass_matrix", (how){s, DOWN, DOWN, 1, 0}, M, x->M + (size_t)s * nv * nv, nv,
                 nv);
        if (!hml_inverse_dynamics(m, work, q, v, a, w2, one) &&
            !hml_inverse_dynamics(x->model, x->work, q, v, a, w, other))
            note(x, KIND_merged_tau, "hml_inverse_dynamics", (how){s, DOWN, PLAIN, force, 0}, one, other, nv, 1);
        single here = single_new(x), there = single_new(x);
        if (!x->regular && !linearize_with(x, m, work, s, 0, w2, &here) &&
            !linearize_with(x, x->model, x->work, s, 0, w, &there))
            note_near(x, KIND_merged_A, "hml_linearize", s, &here, &there);
        for (int i = 0; i < x->nisas && !x->regular; i++) {
            if (!linearize_with(x, m, work_for(x, m, x->isas[i]), s, 1, w2, &here) &&
                !linearize_with(x, x->model, x->works[i], s, 1, w, &there))
                note_near(x, KIND_merged_batch, hml_isa_name(x->isas[i]), s, &here, &there);
        }
        for (int32_t k = 0; k < hml_model_nframes(x->model); k++) {
            hml_frame_info info = {.struct_size = sizeof info};
            hml_model_frame(x->model, k, &info);
            const int32_t there2 = hml_model_find_frame(m, info.name);
            double H[2][16];
            hml_frame_motion f = {.struct_size = sizeof f, .pose = H[0]}, f2 = {.struct_size = sizeof f2, .pose = H[1]};
            if (there2 < 0 || hml_frame(x->model, x->work, k, HML_LEFT, q, NULL, NULL, &f) ||
                hml_frame(m, work, there2, HML_LEFT, q, NULL, NULL, &f2))
                continue;
            note(x, KIND_merged_poses, info.name, (how){s, PLAIN, PLAIN, x->away[s], 0}, H[0], H[1], 16, 1);
        }
    }
    hml_model_free(m);
}

/* ---- another base ---- */

/* the bodies' poses and twists, by name; returns how many were compared */
static void note_bodies(subject *x, int s, const hml_model *m, hml_work *work, const double *q, const double *v)
{
    for (int32_t b = 0; b < x->nb; b++) {
        hml_body_info info = {.struct_size = sizeof info};
        hml_model_body(x->model, b, &info);
        const int32_t k = hml_model_find_frame(m, info.name), here = hml_model_find_frame(x->model, info.name);
        double H[2][16], V[2][6];
        hml_frame_motion f = {.struct_size = sizeof f, .pose = H[0], .twist = V[0]};
        hml_frame_motion f2 = {.struct_size = sizeof f2, .pose = H[1], .twist = V[1]};
        if (k < 0 || here < 0) continue;
        if (hml_frame(x->model, x->work, here, HML_LEFT, x->q + (size_t)s * (size_t)x->nq,
                      x->v + (size_t)s * (size_t)x->nv, NULL, &f) ||
            hml_frame(m, work, k, HML_LEFT, q, v, NULL, &f2))
            continue;
        const double speed = (1 + largest((size_t)x->nv, x->v + (size_t)s * (size_t)x->nv)) * (double)x->nv;
        note(x, KIND_rerooted_poses, info.name, (how){s, PLAIN, PLAIN, x->away[s], 10}, H[1], H[0], 16, 1);
        note(x, KIND_rerooted_twists, info.name, (how){s, PLAIN, PLAIN, speed, 10}, V[1], V[0], 6, 1);
    }
}

static int hangs_freely(const hml_model *m, int32_t body)
{
    hml_body_info info = {.struct_size = sizeof info};
    hml_joint_info joint = {.struct_size = sizeof joint};
    for (int32_t b = body; b >= 0; b = info.parent) hml_model_body(m, b, &info);
    return !hml_model_joint(m, info.joint, &joint) && joint.type == HML_JOINT_FREE;
}

void check_rerooted(subject *x)
{
    const int s = hml_rng_below(&x->rng, x->nstates);
    const int32_t body = hml_rng_below(&x->rng, x->nb);
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * (size_t)x->nv;
    hml_model *m = NULL;
    if (hml_model_reroot(x->model, body, HML_JOINT_FREE, NULL, &m, NULL)) return; /* it has joints that cannot */
    const size_t nq = (size_t)hml_model_nq(m), nv = (size_t)hml_model_nv(m);
    hml_work *work = work_for(x, m, HML_ISA_BEST);
    double *q2 = room(x->g, nq), *v2 = room(x->g, nv);
    if (work && !hml_model_reroot_state(x->model, q, v, m, q2, v2)) {
        hml_dynamics_result d = {.struct_size = sizeof d}, d2 = {.struct_size = sizeof d2};
        note_bodies(x, s, m, work, q2, v2);
        if (!summary_of(x, x->model, x->work, q, v, &d) && !summary_of(x, m, work, q2, v2, &d2)) {
            const double size = 1e-6 + hml_model_mass(x->model) * 9.81 * x->away[s] + fabs(d.kinetic_energy);
            note(x, KIND_rerooted_energy, "kinetic", (how){s, PLAIN, PLAIN, 1e-6, 10}, &d2.kinetic_energy,
                 &d.kinetic_energy, 1, 1);
            note(x, KIND_rerooted_energy, "potential", (how){s, PLAIN, PLAIN, size, 10}, &d2.potential_energy,
                 &d.potential_energy, 1, 1);
        }
        /* without forces both fall alike, if the old base was free: the accelerations of all bodies are the same */
        double *a = room(x->g, (size_t)x->nv), *a2 = room(x->g, nv);
        if (!x->regular && hangs_freely(x->model, body) &&
            !hml_forward_dynamics(x->model, x->work, q, v, NULL, NULL, a) &&
            !hml_forward_dynamics(m, work, q2, v2, NULL, NULL, a2)) {
            double A[2][6], size = 0, lightest = INFINITY;
            for (int i = 0; i < x->nv; i++) {
                const double si = x->s[(size_t)s * (size_t)x->nv + (size_t)i];
                size = fmax(size, fabs(a[i]) * si), lightest = fmin(lightest, si);
            }
            size = fmax(size, x->force[s]) / lightest;
            for (int32_t b = 0; b < x->nb; b++) {
                hml_body_info info = {.struct_size = sizeof info};
                hml_model_body(x->model, b, &info);
                const int32_t k = hml_model_find_frame(m, info.name), here = hml_model_find_frame(x->model, info.name);
                hml_frame_motion f = {.struct_size = sizeof f, .acceleration = A[0]};
                hml_frame_motion f2 = {.struct_size = sizeof f2, .acceleration = A[1]};
                if (k < 0 || here < 0 || hml_frame(x->model, x->work, here, HML_LEFT, q, v, a, &f) ||
                    hml_frame(m, work, k, HML_LEFT, q2, v2, a2, &f2))
                    continue;
                note(x, KIND_rerooted_motion, info.name, (how){s, PLAIN, PLAIN, size, 100}, A[1], A[0], 6, 1);
            }
        }
    }
    hml_model_free(m);
}
