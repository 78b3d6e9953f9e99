/* What packs of floats and of doubles do with the operators of the GNU vector extension. See num_pack.h, num_pack_f32.h. */
#ifndef HML_NUM_PACK_OPERATORS_H
#define HML_NUM_PACK_OPERATORS_H

/* c − 0 is c for every c, and the compiler knows; of 0 + c it does not, since −0 would change */
static inline num K(double c)
{
    num zero = {0};
    return (lane)c - zero;
}

static inline num num_pi(void) { return K(0x1.921fb54442d18p+1); }
static inline bits num_to_bits(num x) { return (bits)x; }
static inline num num_from_bits(bits b) { return (num)b; }
static inline num num_fma(num a, num b, num c) { return a * b + c; }
static inline mask num_lt(num a, num b) { return (mask)(a < b); }
static inline num num_select(mask m, num a, num b) { return (num)((m & (mask)a) | (~m & (mask)b)); }
static inline lane num_get(num x, int i) { return x[i]; }
static inline void num_set(num *x, int i, lane value) { (*x)[i] = value; }

#endif
