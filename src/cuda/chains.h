/*
 * Sums along the tree: a lane has a chain and a number, and goes along the chain's bodies one after the other. Chains: see
 * call.h.
 */
#ifndef HML_CUDA_CHAINS_H
#define HML_CUDA_CHAINS_H

#include "cuda/state.h"

/* a lane's share of the chains of a level: chains first, first + step, …, and numbers k, k + lanes, … of each */
typedef struct chain_share {
    int first, end, step, k, lanes;
} chain_share;

LANE_CODE chain_share share_chains(const lane_state *s, const int32_t *level, int l)
{
    const int begin = level[l], end = level[l + 1], n = end - begin;
    chain_share share;
    share.lanes = n >= s->width ? 1 : n == 1 ? s->width : s->width / n;
    share.step = n >= s->width ? s->width : n;
    share.k = n == 1 ? s->lane : s->lane % share.lanes;
    share.first = begin + (n == 1 ? 0 : s->lane / share.lanes);
    share.end = share.first < begin + share.step ? end : 0; /* lanes that are left over have none */
    return share;
}

/* a chain as a lane works on it */
typedef struct lane_chain {
    int begin, end, attach, heads, heads_end, k, lanes;
} lane_chain;

/* chain number c of the list `chains` */
LANE_CODE lane_chain chain_of(const int32_t *chains, int c, const chain_share *share)
{
    const int32_t *chain = chains + CHAIN_SIZE * c;
    lane_chain x;
    x.begin = chain[CHAIN_BEGIN], x.end = chain[CHAIN_END], x.attach = chain[CHAIN_ATTACH];
    x.heads = chain[CHAIN_HEADS], x.heads_end = chain[CHAIN_HEADS_END];
    x.k = share->k, x.lanes = share->lanes;
    return x;
}

/* the one chain of a lane in level l, from the table that the host has made; back: of the sums back to the root */
LANE_CODE lane_chain own_chain(const lane_state *s, int l, int back)
{
    const int low = (1 << SHARE_BITS) - 1, at = l * s->width + s->lane;
    const int32_t *from = s->integers + (back ? s->tree->back_lanes + 2 * at : s->tree->out_lanes + at);
    const int32_t share = from[0], heads = back ? from[1] : 0;
    lane_chain x;
    x.begin = share & low, x.end = share >> SHARE_BITS & low, x.attach = (share >> 2 * SHARE_BITS & low) - 1;
    x.k = share >> 3 * SHARE_BITS & low, x.lanes = share >> 4 * SHARE_BITS & low;
    x.heads = heads & 255, x.heads_end = heads >> 8;
    return x;
}

/* lane of a chain and a row: poses in the root frame, from that of the first body on */
LANE_CODE void chain_poses(const lane_state *s, lane_chain chain)
{
    const cuda_tree *t = s->tree;
    ROLLED for (int r = chain.k; r < 3; r += chain.lanes)
    {
        const num *local = s->work + t->at.sum + 12 * chain.begin;
        num *H = s->work + t->at.H + 12 * chain.begin + 4 * r;
        num4 row = num4_of(one_if(r == 0), one_if(r == 1), one_if(r == 2), K(0));
        if (chain.attach >= 0) row = work_get4(s->work + t->at.H + 12 * chain.attach + 4 * r);
        ROLLED for (int i = chain.begin; i < chain.end; i++, local += 12, H += 12)
        {
            const num4 x = work_get4(local), y = work_get4(local + 4), z = work_get4(local + 8);
            row = num4_of(row.a * x.a + row.b * y.a + row.c * z.a, row.a * x.b + row.b * y.b + row.c * z.b,
                          row.a * x.c + row.b * y.c + row.c * z.c, row.a * x.d + row.b * y.d + row.c * z.d + row.d);
            work_put4(H, row);
        }
    }
}

LANE_CODE void chains_poses(const lane_state *s)
{
    const cuda_tree *t = s->tree;
    const int32_t *level = s->integers + t->out, *chains = level + t->out_levels + 1;
    ROLLED for (int l = t->out_first; l < t->out_levels; l++)
    {
        if (s->one) {
            chain_poses(s, own_chain(s, l, 0));
        } else {
            const chain_share share = share_chains(s, level, l);
            ROLLED for (int c = share.first; c < share.end; c += share.step)
                chain_poses(s, chain_of(chains, c, &share));
        }
        lanes_sync();
    }
}

/* ---- sums along the tree ---- */

/* number k of body i is at x[i·body + k·number]; there are n of them */
typedef struct body_numbers {
    num *x;
    int body, number, n;
} body_numbers;

LANE_CODE void chain_out(lane_chain chain, body_numbers b)
{
    ROLLED for (int k = chain.k; k < b.n; k += chain.lanes)
    {
        num *at = b.x + b.number * k + b.body * chain.begin;
        num sum = chain.attach >= 0 ? work_get(b.x + b.number * k + b.body * chain.attach) : K(0);
        ROLLED for (int i = chain.begin; i < chain.end; i++, at += b.body)
        {
            sum += work_get(at);
            work_put(at, sum);
        }
    }
}

/* x_i += x_parent, from the root on */
LANE_CODE void chains_out(const lane_state *s, body_numbers b)
{
    const cuda_tree *t = s->tree;
    const int32_t *level = s->integers + t->out, *chains = level + t->out_levels + 1;
    ROLLED for (int l = t->out_first; l < t->out_levels; l++)
    {
        if (s->one) {
            chain_out(own_chain(s, l, 0), b);
        } else {
            const chain_share share = share_chains(s, level, l);
            ROLLED for (int c = share.first; c < share.end; c += share.step) chain_out(chain_of(chains, c, &share), b);
        }
        lanes_sync();
    }
}

LANE_CODE void chain_back(const lane_state *s, lane_chain chain, body_numbers b)
{
    const int32_t *heads = s->integers + s->tree->heads;
    ROLLED for (int k = chain.k; k < b.n; k += chain.lanes)
    {
        num *at = b.x + b.number * k + b.body * (chain.end - 1), sum = K(0);
        ROLLED for (int h = chain.heads; h < chain.heads_end; h++) sum +=
            work_get(b.x + b.number * k + b.body * heads[h]);
        ROLLED for (int i = chain.end - 1; i >= chain.begin; i--, at -= b.body)
        {
            sum += work_get(at);
            work_put(at, sum);
        }
    }
}

/* x_parent += x_i, from the leaves on */
LANE_CODE void chains_back(const lane_state *s, body_numbers b)
{
    const cuda_tree *t = s->tree;
    const int32_t *level = s->integers + t->back, *chains = level + t->back_levels + 1;
    ROLLED for (int l = 0; l < t->back_levels; l++)
    {
        if (s->one) {
            chain_back(s, own_chain(s, l, 1), b);
        } else {
            const chain_share share = share_chains(s, level, l);
            ROLLED for (int c = share.first; c < share.end; c += share.step)
                chain_back(s, chain_of(chains, c, &share), b);
        }
        lanes_sync();
    }
}

LANE_CODE body_numbers numbers_of(num *x, int body, int number, int n)
{
    body_numbers b;
    b.x = x, b.body = body, b.number = number, b.n = n;
    return b;
}

#endif
