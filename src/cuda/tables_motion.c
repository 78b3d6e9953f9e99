/* Tables of frames, and the workspace of motion.h and held.h. */
#include "cuda/tables_write.h"
#include "group/arrays.h"
#include "model/pose.h"

static pose place_at(const double X[12]) { return pose_of_arrays(X, X + 9); }

/* the number of a body's tree among those with columns, or −1 */
static int32_t tree_of(const hml_plan *plan, int32_t body, int32_t *begin)
{
    int32_t number = -1;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        const plan_tree *tree = &plan_trees(plan)[i];
        const int moves = tree->begin < tree->end;
        number += moves;
        *begin = tree->body_begin;
        if (body >= tree->body_begin && body < tree->body_end) return moves ? number : -1;
    }
    return -1;
}

void hmli_cuda_put_frames(writer *w, const hml_model *model, cuda_model *m)
{
    const hml_plan *plan = model_plan(model);
    m->frames = model->nframes, m->frame = w->ninteger, m->frame_numbers = w->nnumber;
    for (int32_t k = 0; k < model->nframes; k++) {
        const model_frame *frame = &model_frames(model)[k];
        pose H = pose_of_arrays(frame->R, frame->p);
        int32_t begin = 0;
        const int32_t tree = frame->body < 0 ? -1 : tree_of(plan, frame->body, &begin);
        if (frame->body >= 0) {
            const plan_body *b = &plan_bodies(plan)[frame->body];
            H = pose_mul(place_at(b->to_body), H);
            if (tree < 0) H = pose_mul(place_at(b->X), H); /* fixed to the world */
        }
        double numbers[12];
        pose_to_arrays(H, numbers, numbers + 9);
        put_integer(w, tree), put_integer(w, frame->body - begin), put_integer(w, frame->body);
        for (int i = 0; i < 12; i++) put_number(w, numbers[i]);
    }
}

static int32_t lay_out(cuda_tree *t, int32_t used)
{
    cuda_layout *at = &t->at;
    at->sum_ld = t->bodies | 1;
    at->H = take(&used, 12 * (int64_t)t->bodies);
    at->v = take(&used, 8 * (int64_t)t->bodies);
    at->a = take(&used, 8 * (int64_t)t->bodies);
    at->sum = take(&used, 28 * (int64_t)at->sum_ld);
    at->S = take_rows(&used, t, 8);
    at->G = take(&used, 8 * (int64_t)t->columns);
    at->root = take(&used, 32);
    at->springs = take(&used, t->elastic ? 6 * (int64_t)t->columns : 0);
    at->place = take(&used, 12);
    return used;
}

cuda_model hmli_cuda_motion_model(const cuda_model *model, cuda_held *h)
{
    cuda_model m = *model;
    int32_t used = 0, most;
    m.one = m.limb_joints = m.trunk = m.block_numbers = 0;
    m.q = take(&used, m.nq), m.v = take(&used, m.nv), m.b = take(&used, m.nv), m.x = take(&used, m.nv);
    if (h) {
        const int64_t all = h->all, nv = m.nv;
        h->J = take(&used, all * nv), h->W = take(&used, all * nv), h->K = take(&used, all * all);
        h->E = take(&used, 2 * all * nv), h->row = take(&used, 4 * all);
        h->foot = take(&used, HELD_FOOT * (int64_t)h->feet);
    }
    most = used;
    for (int32_t i = 0; i < m.trees; i++) {
        const int32_t end = lay_out(&m.tree[i], used);
        if (end > most) most = end;
    }
    m.state_numbers = most;
    return m;
}
