/*
 * Mimic joints: position = multiplier·leader + offset. A follower may follow a follower; the model knows only the first
 * leader, with the composed multiplier and offset. Both joints have one coordinate; a rack may follow its pinion.
 */
#include <stdlib.h>

#include "model/build.h"
#include "model/check_item.h"
#include "model/near.h"

static hml_status find_leaders(build *w)
{
    const hml_builder *b = w->b;
    char near[NEAR_TEXT];
    for (int32_t i = 0; i < w->n; i++) {
        const builder_link *link = &b->links[i];
        w->leader[i] = -1;
        w->multiplier[i] = 1;
        w->offset[i] = 0;
        if (link->mimic == NO_TEXT || link->joint.type == HML_JOINT_FIXED) continue;
        const char *name = build_joint_name(w, i), *leader = builder_text(b, link->mimic);
        int32_t l = hmli_names_find(&b->joints, &b->text, leader) - 1;
        if (l < 0)
            return hmli_fail(w->error, HML_BAD_MODEL, "joint " NAMED " follows joint " NAMED ", which does not exist%s",
                             name, leader, hmli_near(b, NEAR_JOINT, leader, near));
        if (hml_joint_type_nv(link->joint.type) != 1)
            return hmli_fail(w->error, HML_BAD_MODEL,
                             "joint " NAMED " follows another, but a %s joint does not have exactly one coordinate",
                             name, hml_joint_type_name(link->joint.type));
        if (hml_joint_type_nv(b->links[l].joint.type) != 1)
            return hmli_fail(w->error, HML_BAD_MODEL,
                             "joint " NAMED " follows joint " NAMED
                             ", but a %s joint does not have exactly one coordinate",
                             name, leader, hml_joint_type_name(b->links[l].joint.type));
        if (w->options & HML_BUILD_MIMIC_INDEPENDENT) continue;
        w->leader[i] = l;
        w->multiplier[i] = link->joint.multiplier;
        w->offset[i] = link->joint.offset;
    }
    return HML_OK;
}

/*
 * Chains, without recursion: walk to the end of a chain leaving a trail of who pointed here, then walk back composing.
 * A joint met twice on the way closes a cycle.
 */
static hml_status resolve_chains(build *w, int32_t *back, char *done)
{
    for (int32_t i = 0; i < w->n; i++) {
        if (done[i]) continue;
        int32_t at = i;
        back[i] = -1;
        done[i] = 1; /* on the way */
        while (w->leader[at] >= 0 && done[w->leader[at]] != 2) {
            int32_t next = w->leader[at];
            if (done[next] == 1)
                return hmli_fail(w->error, HML_BAD_MODEL, "joint " NAMED " follows itself, through joint " NAMED,
                                 build_joint_name(w, next), build_joint_name(w, at));
            done[next] = 1;
            back[next] = at;
            at = next;
        }
        for (; at >= 0; at = back[at]) {
            int32_t l = w->leader[at];
            done[at] = 2;
            if (l < 0 || w->leader[l] < 0) continue;
            w->offset[at] += w->multiplier[at] * w->offset[l];
            w->multiplier[at] *= w->multiplier[l];
            w->leader[at] = w->leader[l];
        }
    }
    return HML_OK;
}

hml_status hmli_build_mimic(build *w)
{
    hml_status status = find_leaders(w);
    if (status) return status;
    int32_t *back = calloc((size_t)w->n + 1, sizeof *back);
    char *done = calloc((size_t)w->n + 1, 1);
    status = back && done ? resolve_chains(w, back, done) : HML_OUT_OF_MEMORY;
    free(back);
    free(done);
    return status;
}
