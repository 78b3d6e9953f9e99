/*
 * Robots and states drawn at random. Every feature is either absent from a robot, or rare, or everywhere: what goes
 * wrong only in company of something else, or only alone, is met either way.
 */
#include "agree.h"

enum { MOST_NV = 110 };

static int chance(hml_rng *rng, double p) { return hml_rng_uniform(rng, 0, 1) < p; }
static double pick(hml_rng *rng, int n, const double *values) { return values[hml_rng_below(rng, n)]; }

/* how likely each feature is in this robot */
typedef struct taste {
    double fixed, massless, follower, passive, aligned, point, placed, tilted, world;
    int shape, types;
    double lightest;
} taste;

enum { CHAIN, NEAR, ANY, STAR, LEGS, SHAPES };
enum { TURNS, ONE, ALL, TYPES };

static taste taste_draw(hml_rng *rng)
{
    static const double often[3] = {0, 0.2, 0.8}, seldom[4] = {0, 0, 0.1, 0.4}, fixed[3] = {0, 0.15, 0.4};
    taste t;
    t.fixed = pick(rng, 3, fixed), t.massless = pick(rng, 4, seldom), t.follower = pick(rng, 4, seldom);
    t.passive = pick(rng, 3, often), t.aligned = pick(rng, 3, often), t.point = pick(rng, 3, often);
    t.tilted = pick(rng, 3, often), t.placed = chance(rng, 0.7) ? 1 : 0.6, t.world = chance(rng, 0.2) ? 0.3 : 0;
    t.shape = hml_rng_below(rng, SHAPES), t.types = hml_rng_below(rng, TYPES);
    t.lightest = chance(rng, 0.2) ? -3 : -0.5;
    return t;
}

static int draw_size(hml_rng *rng, int *shape)
{
    double u = hml_rng_uniform(rng, 0, 1);
    if (u < 0.05) return 1;
    if (u < 0.40) return 2 + hml_rng_below(rng, 5);
    if (u < 0.75) return 7 + hml_rng_below(rng, 10);
    if (u < 0.85) return *shape = CHAIN, 18 + hml_rng_below(rng, 16); /* where kernels and workspaces change */
    return 17 + hml_rng_below(rng, 44);
}

static hml_joint_type draw_type(hml_rng *rng, const taste *t, int root, int light)
{
    static const hml_joint_type one[3] = {HML_JOINT_REVOLUTE, HML_JOINT_PRISMATIC, HML_JOINT_HELICAL};
    if (root && chance(rng, 0.5)) return HML_JOINT_FREE;
    if (root && chance(rng, 0.3)) return (hml_joint_type)(1 + hml_rng_below(rng, HML_JOINT_FREE));
    if (t->types == TURNS) return HML_JOINT_REVOLUTE;
    if (t->types == ONE || light || chance(rng, 0.4)) return one[hml_rng_below(rng, 3)];
    return (hml_joint_type)(1 + hml_rng_below(rng, HML_JOINT_FREE));
}

static int draw_parent(hml_rng *rng, const taste *t, int i, int legs)
{
    if (i == 0 || chance(rng, t->world)) return -1;
    switch (t->shape) {
    case CHAIN: return i - 1;
    case NEAR: return i - 1 - hml_rng_below(rng, i < 3 ? i : 3);
    case STAR: return 0;
    case LEGS: return i <= legs ? 0 : i - legs;
    default: return hml_rng_below(rng, i);
    }
}

static void draw_axis(hml_rng *rng, int aligned, double axis[3])
{
    double R[9];
    draw_rotation(rng, R);
    for (int k = 0; k < 3; k++) axis[k] = aligned ? 0 : R[k];
    if (aligned) axis[hml_rng_below(rng, 3)] = chance(rng, 0.8) ? 1 : -1;
}

static void draw_joint(hml_rng *rng, const taste *t, part *p)
{
    hml_joint_spec *j = &p->spec;
    int nv = hml_joint_type_nv(j->type), aligned = chance(rng, t->aligned);
    const int moved = chance(rng, t->placed);
    for (int k = 0; k < 3; k++) j->position[k] = moved ? 0.4 * hml_rng_uniform(rng, -1, 1) : 0;
    if (chance(rng, t->tilted)) draw_rotation(rng, j->rotation);
    draw_axis(rng, aligned, j->axis);
    do draw_axis(rng, aligned, j->axis2);
    while (fabs(j->axis[0] * j->axis2[0] + j->axis[1] * j->axis2[1] + j->axis[2] * j->axis2[2]) > 0.9);
    if (chance(rng, t->point) && j->type != HML_JOINT_FREE && j->type != HML_JOINT_FIXED)
        for (int k = 0; k < 3; k++) j->point[k] = 0.3 * hml_rng_uniform(rng, -1, 1);
    j->pitch = 0.3 * hml_rng_uniform(rng, -1, 1);
    if (!chance(rng, t->passive)) return;
    for (int k = 0; k < nv; k++) {
        j->armature[k] = 0.1 * hml_rng_uniform(rng, 0, 1);
        if (chance(rng, 0.7)) j->damping[k] = hml_rng_uniform(rng, 0, 1);
        if (chance(rng, 0.7)) j->stiffness[k] = hml_rng_uniform(rng, 0, 10);
    }
    if (j->type == HML_JOINT_FREE || j->type == HML_JOINT_SPHERICAL)
        hml_rng_quaternion(rng, j->type == HML_JOINT_FREE ? j->rest + 3 : j->rest);
    else
        for (int k = 0; k < nv; k++) j->rest[k] = hml_rng_uniform(rng, -1, 1);
}

/* a box, turned: some mass distribution has this inertia */
static void draw_inertia(hml_rng *rng, double lightest, hml_inertia_spec *I)
{
    double R[9], side[3], d[3];
    I->mass = pow(10, hml_rng_uniform(rng, lightest, 1));
    for (int k = 0; k < 3; k++) {
        side[k] = hml_rng_uniform(rng, 0.1, 0.5);
        I->com[k] = chance(rng, 0.1) ? 0 : 0.2 * hml_rng_uniform(rng, -1, 1);
    }
    for (int k = 0; k < 3; k++) {
        double b = side[(k + 1) % 3], c = side[(k + 2) % 3];
        d[k] = I->mass * (b * b + c * c) / 12;
    }
    draw_rotation(rng, R);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k <= i; k++) {
            double sum =
                R[3 * i] * d[0] * R[3 * k] + R[3 * i + 1] * d[1] * R[3 * k + 1] + R[3 * i + 2] * d[2] * R[3 * k + 2];
            I->moment[3 * i + k] = I->moment[3 * k + i] = sum;
        }
    }
}

/* every part that nothing hangs on must weigh something, or M is singular; fixed ones count with what carries them */
static void weigh_leaves(recipe *r, hml_rng *rng, const taste *t)
{
    int carries[PARTS] = {0};
    for (int i = r->nparts - 1; i >= 0; i--) {
        part *p = &r->parts[i];
        int nv = hml_joint_type_nv(p->spec.type);
        if (!carries[i] && !p->massive && nv > 0) p->massive = 1, draw_inertia(rng, t->lightest, &p->inertia);
        if (p->parent >= 0 && (p->massive || carries[i])) carries[p->parent] = 1;
    }
}

static void draw_frames(recipe *r, hml_rng *rng)
{
    r->nframes = hml_rng_below(rng, FRAMES + 1);
    for (int i = 0; i < r->nframes; i++) {
        r->frame_part[i] = hml_rng_below(rng, r->nparts);
        for (int k = 0; k < 3; k++) r->frame_position[i][k] = 0.3 * hml_rng_uniform(rng, -1, 1);
        draw_rotation(rng, r->frame_rotation[i]);
    }
}

static void draw_gravity(recipe *r, hml_rng *rng)
{
    r->gravity[0] = r->gravity[1] = 0, r->gravity[2] = -9.81;
    if (chance(rng, 0.15)) r->gravity[2] = 0;
    if (chance(rng, 0.3))
        for (int k = 0; k < 3; k++) r->gravity[k] = 10 * hml_rng_uniform(rng, -1, 1);
}

void recipe_draw(recipe *r, uint64_t seed)
{
    hml_rng rng;
    hml_rng_seed(&rng, seed);
    memset(r, 0, sizeof *r);
    r->seed = seed;
    taste t = taste_draw(&rng);
    int n = draw_size(&rng, &t.shape), legs = 1 + hml_rng_below(&rng, 6), nv = 0, leader = -1;
    snprintf(r->label, sizeof r->label, "random");
    draw_gravity(r, &rng);
    r->build = chance(&rng, 0.6) ? HML_BUILD_KEEP_FIXED : 0;
    for (int i = 0; i < n && nv < MOST_NV; i++) {
        part *p = &r->parts[i];
        int light = chance(&rng, t.massless);
        p->parent = draw_parent(&rng, &t, i, legs);
        hml_joint_type type = draw_type(&rng, &t, p->parent < 0, light);
        if (chance(&rng, t.fixed)) type = HML_JOINT_FIXED;
        hml_joint_spec_init(&p->spec, type);
        snprintf(p->name, sizeof p->name, "b%d", i);
        snprintf(p->joint, sizeof p->joint, "j%d", i);
        p->leader = -1;
        draw_joint(&rng, &t, p);
        p->massive = !light;
        if (p->massive) draw_inertia(&rng, t.lightest, &p->inertia);
        p->spec.actuated = chance(&rng, 0.8);
        if (hml_joint_type_nv(type) == 1 && leader >= 0 && chance(&rng, t.follower)) {
            p->leader = leader;
            p->spec.multiplier = hml_rng_uniform(&rng, -2, 2), p->spec.offset = hml_rng_uniform(&rng, -1, 1);
        } else if (hml_joint_type_nv(type) == 1 && (leader < 0 || chance(&rng, 0.5))) {
            leader = i;
        }
        nv += hml_joint_type_nv(type);
        r->nparts++;
    }
    weigh_leaves(r, &rng, &t);
    draw_frames(r, &rng);
    recipe_draw_states(r, &rng);
}

/* ---- states ---- */

enum { USUAL, AT_REST, FAST, FAR, HALF_TURN, NEUTRAL, SMALL, WOUND_UP, FLAVOURS };

/* which of its position numbers are metres, as a run: first, count */
static void metres(hml_joint_type type, int *first, int *count)
{
    *first = 0, *count = 0;
    switch (type) {
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_CYLINDRICAL: *count = 1; break;
    case HML_JOINT_PLANAR:
    case HML_JOINT_TRANSLATION2: *count = 2; break;
    case HML_JOINT_TRANSLATION3:
    case HML_JOINT_SCHOENFLIES:
    case HML_JOINT_FREE: *count = 3; break;
    default: break;
    }
}

static int has_spring(const part *p)
{
    for (int k = 0; k < HML_JOINT_MAX_NV; k++)
        if (p->spec.stiffness[k] > 0) return 1;
    return 0;
}

/*
 * Not everything goes everywhere: a follower would multiply what its leader has, a screw turns angles into metres, and
 * a spring has no slope where its logarithm jumps.
 */
static int suits(const recipe *r, int i, int flavour)
{
    const part *p = &r->parts[i];
    int quiet = p->leader < 0;
    for (int k = 0; k < r->nparts; k++) quiet &= r->parts[k].leader != i;
    if (flavour == FAR) return p->parent < 0 && quiet;
    if (flavour == WOUND_UP) return p->spec.type != HML_JOINT_HELICAL && quiet;
    return flavour != HALF_TURN || !has_spring(p);
}

static void draw_state(const part *p, hml_rng *rng, int flavour, part_state *s)
{
    int nq = hml_joint_type_nq(p->spec.type), first, count;
    double speed = flavour == AT_REST ? 0 : flavour == FAST ? 30 : 1, range = flavour == SMALL ? 1e-7 : 1;
    memset(s, 0, sizeof *s);
    metres(p->spec.type, &first, &count);
    for (int k = 0; k < nq; k++) {
        double x = range * hml_rng_uniform(rng, -1, 1);
        int length = k >= first && k < first + count;
        if (!length && flavour == USUAL) x *= 3;
        if (!length && flavour == HALF_TURN) x = x < 0 ? -3.141592653589793 : 3.141592653589793;
        if (!length && flavour == WOUND_UP) x *= 1e4;
        if (length && flavour == FAR) x *= 1e6;
        s->q[k] = flavour == NEUTRAL ? 0 : x;
    }
    if (p->spec.type == HML_JOINT_FREE || p->spec.type == HML_JOINT_SPHERICAL) {
        double *r = p->spec.type == HML_JOINT_FREE ? s->q + 3 : s->q, n = 0;
        hml_rng_quaternion(rng, r);
        if (flavour == NEUTRAL || flavour == SMALL) r[0] = 1;
        for (int k = 1; k < 4 && (flavour == NEUTRAL || flavour == SMALL); k++)
            r[k] = flavour == SMALL ? 1e-8 * r[k] : 0;
        if (flavour == HALF_TURN) r[0] = 0;
        if (flavour == HALF_TURN && chance(rng, 0.3)) r[0] = r[1] = r[2] = r[3] = 0, r[1 + hml_rng_below(rng, 3)] = 1;
        for (int k = 0; k < 4; k++) n += r[k] * r[k];
        for (int k = 0; k < 4; k++) r[k] /= sqrt(n);
        const double *rest = p->spec.type == HML_JOINT_FREE ? p->spec.rest + 3 : p->spec.rest;
        const double half = r[0] * rest[0] + r[1] * rest[1] + r[2] * rest[2] + r[3] * rest[3];
        if (has_spring(p) && fabs(half) < 0.1) memcpy(r, rest, 4 * sizeof *r); /* cos(angle/2): too close to the jump */
    }
    for (int k = 0; k < HML_JOINT_MAX_NV; k++) {
        s->v[k] = speed * hml_rng_uniform(rng, -1, 1);
        s->tau[k] = 5 * hml_rng_uniform(rng, -1, 1);
        s->a[k] = hml_rng_uniform(rng, -1, 1);
        s->wrench[k] = 3 * hml_rng_uniform(rng, -1, 1);
    }
}

void recipe_draw_states(recipe *r, hml_rng *rng)
{
    r->nstates = 1 + hml_rng_below(rng, STATES);
    r->pushed = chance(rng, 0.5);
    r->far = 0;
    for (int s = 0; s < r->nstates; s++) {
        int flavour = chance(rng, 0.5) ? USUAL : hml_rng_below(rng, FLAVOURS);
        if (flavour == FAR) r->far = 1;
        for (int i = 0; i < r->nparts; i++)
            draw_state(&r->parts[i], rng, suits(r, i, flavour) ? flavour : USUAL, &r->states[s][i]);
    }
}
