/* hamel simulate: what was put into the robot and taken out of it. */
#include <math.h>

#include "simulate.h"
#include "table.h"

/* ---- drifts ---- */

int simulate_floats(const robot *r)
{
    for (int32_t i = 0; i < r->nloops; i++)
        if (r->loops[i].other == HML_WORLD) return 0;
    for (int32_t i = 0; i < r->nbodies; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_joint_info joint = {.struct_size = sizeof joint};
        if (hml_model_body(r->model, i, &body) || body.parent >= 0) continue;
        if (hml_model_joint(r->model, body.joint, &joint) || joint.type != HML_JOINT_FREE) return 0;
    }
    return 1;
}

static double length3(const double *a) { return hypot(hypot(a[0], a[1]), a[2]); }

/* against the largest there was; 0 where there is nothing */
static double relative(double change, double size) { return size > 0 ? change / size : 0; }

/* the largest energy, and at least that of a nanometre of height: a body that lies still at a height of 0 has none but rounding */
static double energy_size(const robot *r, const trajectory *t)
{
    double gravity[3] = {0};
    hml_model_gravity(r->model, gravity);
    return fmax(fmax(fabs(t->energy[0]), t->kinetic), 1e-9 * hml_model_mass(r->model) * length3(gravity));
}

drifts trajectory_drifts(const robot *r, const trajectory *t)
{
    const hml_balance *b = &t->balance;
    double size[2];
    if (!simulate_floats(r)) {
        return (drifts){relative(t->energy_error, energy_size(r, t)), NAN, NAN};
    }
    for (int part = 0; part < 2; part++) {
        size[part] = fmax(length3(b->gravity_impulse + 3 * part), length3(b->wrench_impulse + 3 * part));
        size[part] = fmax(size[part], length3(b->contact_impulse + 3 * part));
        for (size_t k = 0; k < t->count; k++) size[part] = fmax(size[part], length3(t->momentum + 6 * k + 3 * part));
    }
    return (drifts){relative(t->energy_error, energy_size(r, t)), relative(t->momentum_error[0], size[0]),
                    relative(t->momentum_error[1], size[1])};
}

void simulate_support(const trajectory *t, double impulse[6])
{
    const hml_balance *b = &t->balance;
    const double *end = t->momentum + 6 * (t->count - 1);
    for (int k = 0; k < 6; k++) {
        impulse[k] = end[k] - t->momentum[k] - b->gravity_impulse[k] - b->wrench_impulse[k] - b->contact_impulse[k];
    }
}

/* ---- tables ---- */

typedef struct work_row {
    const char *key, *label;
    double work;
} work_row;

enum { WORKS = 10 };

static void list_work(const hml_balance *b, work_row *rows)
{
    const work_row all[WORKS] = {
        {"forces", "forces of the joints", b->forces},
        {"servos", "servos", b->servos},
        {"actuators", "actuators", b->actuators},
        {"wrenches", "external wrenches", b->wrenches},
        {"damping", "damping", b->damping},
        {"contacts", "impacts and sliding", b->contacts},
        {"limits", "joint limits", b->limits},
        {"friction", "friction of joints", b->friction},
        {"displacement", "lifted out of the ground", b->displacement},
        {"removed", "removed from fast joints", b->removed},
    };
    for (int i = 0; i < WORKS; i++) rows[i] = all[i];
}

static void print_energy(const trajectory *t)
{
    work_row rows[WORKS];
    double left = t->energy[t->count - 1] - t->energy[0];
    list_work(&t->balance, rows);
    table *out = table_new(2, "lr");
    table_cell(out, "");
    table_cell(out, "J");
    table_cell(out, "at the start");
    table_number(out, t->energy[0]);
    for (int i = 0; i < WORKS; i++) {
        left -= rows[i].work;
        if (rows[i].work == 0) continue;
        table_cell(out, rows[i].label);
        table_number(out, rows[i].work);
    }
    table_cell(out, "error of the steps");
    table_number(out, left);
    table_cell(out, "at the end");
    table_number(out, t->energy[t->count - 1]);
    table_heading(stdout, "Energy, and what was put in or taken out");
    table_print(out, stdout);
    table_free(out);
}

static void momentum_row(table *out, const char *label, const double *six, double largest, int always)
{
    if (!always && length3(six) == 0 && length3(six + 3) == 0) return;
    table_cell(out, label);
    for (int k = 0; k < 6; k++) table_number(out, fabs(six[k]) > 1e-14 * largest ? six[k] : 0);
}

static void print_momentum(const robot *r, const trajectory *t)
{
    static const char *const heading[] = {"", "x", "y", "z", "about x", "about y", "about z"};
    const hml_balance *b = &t->balance;
    double left[6];
    double largest = 0;
    simulate_support(t, left);
    for (int k = 0; k < 6; k++) largest = fmax(largest, fmax(fabs(t->momentum[k]), fabs(b->gravity_impulse[k])));
    table *out = table_new(7, "lrrrrrr");
    for (int i = 0; i < 7; i++) table_cell(out, heading[i]);
    momentum_row(out, "at the start", t->momentum, largest, 1);
    momentum_row(out, "gravity", b->gravity_impulse, largest, 0);
    momentum_row(out, "external wrenches", b->wrench_impulse, largest, 0);
    momentum_row(out, "ground", b->contact_impulse, largest, 0);
    momentum_row(out, simulate_floats(r) ? "error of the steps" : "support", left, largest, 1);
    momentum_row(out, "at the end", t->momentum + 6 * (t->count - 1), largest, 1);
    table_heading(stdout, "Momentum, and what changed it (N s, N m s about the world's origin)");
    table_print(out, stdout);
    table_free(out);
}

void simulate_print_balance(const robot *r, const trajectory *t)
{
    print_energy(t);
    print_momentum(r, t);
}

void simulate_add_balance(const robot *r, const trajectory *t, hml_result *result)
{
    const size_t six = 6;
    double support[6];
    work_row rows[WORKS];
    list_work(&t->balance, rows);
    for (int i = 0; i < WORKS; i++) {
        char key[32];
        snprintf(key, sizeof key, "work_%s", rows[i].key);
        hml_result_add_number(result, key, rows[i].work);
    }
    hml_result_add_number(result, "energy_error", t->energy_error);
    hml_result_add_numbers(result, "impulse_gravity", 1, &six, t->balance.gravity_impulse);
    hml_result_add_numbers(result, "impulse_wrenches", 1, &six, t->balance.wrench_impulse);
    hml_result_add_numbers(result, "impulse_contacts", 1, &six, t->balance.contact_impulse);
    simulate_support(t, support);
    hml_result_add_numbers(result, simulate_floats(r) ? "momentum_error" : "impulse_support", 1, &six, support);
}
