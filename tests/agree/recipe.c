/* Recipes: built into models, made of models, and made smaller. See agree.h. */
#include "agree.h"

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

hml_status recipe_build(const recipe *r, unsigned build, hml_model **model, hml_error *error)
{
    hml_builder *b = hml_builder_new();
    if (!b) return HML_OUT_OF_MEMORY;
    hml_status status = hml_builder_set_gravity(b, r->gravity);
    if (!status) status = hml_builder_set_name(b, "agree");
    for (int i = 0; !status && i < r->nparts; i++) {
        const part *p = &r->parts[i];
        hml_joint_spec spec = p->spec;
        spec.name = p->joint;
        spec.mimic = p->leader < 0 ? NULL : r->parts[p->leader].joint;
        status = hml_builder_add_body(b, p->name, p->parent < 0 ? NULL : r->parts[p->parent].name, &spec,
                                      p->massive ? &p->inertia : NULL, error);
    }
    for (int i = 0; !status && i < r->nframes; i++) {
        char name[NAME];
        snprintf(name, sizeof name, "agree frame %d", i);
        status = hml_builder_add_frame(b, name, r->parts[r->frame_part[i]].name, r->frame_position[i],
                                       r->frame_rotation[i], error);
    }
    if (!status) status = hml_builder_build(b, build, model, error);
    hml_builder_free(b);
    return status;
}

/* the part that a body became; crosses of universal joints belong to the part behind them */
static int part_of_body(const int *part_of, const hml_model *m, int32_t body)
{
    while (body >= 0 && part_of[body] < 0) {
        hml_body_info info = {.struct_size = sizeof info};
        if (hml_model_body(m, body, &info)) return -1;
        body = info.parent;
    }
    return body < 0 ? -1 : part_of[body];
}

static void spec_of_joint(const hml_joint_info *j, hml_joint_spec *spec)
{
    hml_joint_spec_init(spec, j->type);
    memcpy(spec->position, j->position, sizeof spec->position);
    memcpy(spec->rotation, j->rotation, sizeof spec->rotation);
    memcpy(spec->axis, j->axis, sizeof spec->axis);
    memcpy(spec->axis2, j->axis2, sizeof spec->axis2);
    memcpy(spec->point, j->point, sizeof spec->point);
    spec->pitch = j->pitch;
    spec->actuated = j->actuated;
    memcpy(spec->armature, j->armature, sizeof spec->armature);
    memcpy(spec->damping, j->damping, sizeof spec->damping);
    memcpy(spec->stiffness, j->stiffness, sizeof spec->stiffness);
    memcpy(spec->rest, j->rest, sizeof spec->rest);
    memcpy(spec->lower, j->lower, sizeof spec->lower);
    memcpy(spec->upper, j->upper, sizeof spec->upper);
    memcpy(spec->velocity_limit, j->velocity_limit, sizeof spec->velocity_limit);
    memcpy(spec->effort_limit, j->effort_limit, sizeof spec->effort_limit);
    spec->multiplier = j->multiplier;
    spec->offset = j->offset;
}

static int fits(const char *name) { return strlen(name) < NAME; }

int recipe_from_model(recipe *r, const hml_model *m)
{
    int nb = hml_model_nbodies(m), part_of[2 * PARTS], part_of_joint[2 * PARTS], leader_joint[PARTS];
    if (nb > PARTS || hml_model_njoints(m) > 2 * PARTS) return 0;
    memset(r, 0, sizeof *r);
    hml_model_gravity(m, r->gravity);
    for (int32_t i = 0; i < nb; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_joint_info joint = {.struct_size = sizeof joint};
        part_of[i] = -1;
        if (hml_model_body(m, i, &body) || hml_model_joint(m, body.joint, &joint)) return 0;
        if (joint.body != i) continue; /* the cross of a universal joint */
        if (!fits(body.name) || !fits(joint.name)) return 0;
        part *p = &r->parts[r->nparts];
        snprintf(p->name, sizeof p->name, "%s", body.name);
        snprintf(p->joint, sizeof p->joint, "%s", joint.name);
        p->parent = part_of_body(part_of, m, body.parent);
        p->leader = -1;
        leader_joint[r->nparts] = joint.leader;
        spec_of_joint(&joint, &p->spec);
        p->inertia.mass = body.mass;
        memcpy(p->inertia.com, body.com, sizeof body.com);
        memcpy(p->inertia.moment, body.moment, sizeof body.moment);
        p->massive = body.mass > 0 || body.moment[0] > 0 || body.moment[4] > 0 || body.moment[8] > 0;
        part_of[i] = part_of_joint[body.joint] = r->nparts++;
    }
    for (int i = 0; i < r->nparts; i++)
        if (leader_joint[i] >= 0) r->parts[i].leader = part_of_joint[leader_joint[i]];
    return r->nparts > 0;
}

/* q and so on of part `from` become those of part `to` */
static void move_part(recipe *r, int from, int to)
{
    r->parts[to] = r->parts[from];
    for (int s = 0; s < STATES; s++) r->states[s][to] = r->states[s][from];
}

static void multiply(const double A[9], const double B[9], double C[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

void recipe_remove(recipe *r, int index)
{
    part gone = r->parts[index];
    for (int i = 0; i < r->nparts; i++) {
        part *p = &r->parts[i];
        if (p->leader == index) p->leader = -1;
        if (p->leader > index) p->leader--;
        if (p->parent == index) { /* where it was with the joint that goes at rest */
            double R[9];
            for (int k = 0; k < 3; k++) {
                const double *row = &gone.spec.rotation[3 * k];
                R[k] = gone.spec.position[k] + row[0] * p->spec.position[0] + row[1] * p->spec.position[1] +
                       row[2] * p->spec.position[2];
            }
            memcpy(p->spec.position, R, 3 * sizeof *R);
            multiply(gone.spec.rotation, p->spec.rotation, R);
            memcpy(p->spec.rotation, R, sizeof R);
            p->parent = gone.parent;
        } else if (p->parent > index) {
            p->parent--;
        }
    }
    for (int i = 0; i < r->nframes; i++) {
        if (r->frame_part[i] == index)
            r->frame_part[i] = gone.parent < 0 ? 0 : gone.parent;
        else if (r->frame_part[i] > index)
            r->frame_part[i]--;
    }
    for (int i = index; i + 1 < r->nparts; i++) move_part(r, i + 1, i);
    r->nparts--;
    if (r->nparts == 0) r->nframes = 0;
}

void draw_rotation(hml_rng *rng, double R[9])
{
    double q[4];
    hml_rng_quaternion(rng, q);
    if (hml_quat_to_matrix(q, R)) memcpy(R, identity, sizeof identity);
}
