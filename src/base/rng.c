/* xoshiro256++ (Blackman and Vigna 2019), its state filled by splitmix64. */
#include <math.h>

#include "hamel/random.h"

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

void hml_rng_seed(hml_rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rng->state[i] = z ^ (z >> 31);
    }
}

uint64_t hml_rng_bits(hml_rng *rng)
{
    uint64_t *s = rng->state;
    if (!(s[0] | s[1] | s[2] | s[3])) hml_rng_seed(rng, 0); /* of zeros nothing but zeros would follow, for ever */
    uint64_t result = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* the 53 highest bits: [0, 1) */
static double unit(hml_rng *rng) { return (double)(hml_rng_bits(rng) >> 11) * 0x1p-53; }

double hml_rng_uniform(hml_rng *rng, double lower, double upper) { return lower + (upper - lower) * unit(rng); }

int32_t hml_rng_below(hml_rng *rng, int32_t n) { return n > 0 ? (int32_t)(unit(rng) * n) : 0; }

/* Marsaglia's polar method; the second number is thrown away, so that a state is all there is to remember */
double hml_rng_normal(hml_rng *rng)
{
    for (;;) {
        double x = hml_rng_uniform(rng, -1, 1), y = hml_rng_uniform(rng, -1, 1), s = x * x + y * y;
        if (s < 1 && s > 0) return x * sqrt(-2 * log(s) / s);
    }
}

void hml_rng_quaternion(hml_rng *rng, double q[4])
{
    for (;;) { /* a point in the ball of radius 1, drawn onto its surface */
        double s = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = hml_rng_uniform(rng, -1, 1);
            s += q[i] * q[i];
        }
        if (s > 1 || s < 0.01) continue;
        for (int i = 0; i < 4; i++) q[i] /= sqrt(s);
        return;
    }
}
