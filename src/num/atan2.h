/*
 * atan2 of packs, without a branch: about 2 ulp, with the signs and zeros of C's atan2 for finite arguments.
 *
 * The quotient t of the smaller and the larger magnitude lies in [0, 1]; above tan(π/8) it becomes (t − 1)/(t + 1) and
 * π/4 is added. Minimax polynomial in the square (relative error 1.3e-18), then the octants are unfolded.
 */
#ifndef HML_NUM_ATAN2_H
#define HML_NUM_ATAN2_H

static inline num num_atan2(num y, num x)
{
    const bits sign_bit = num_to_bits(K(-0.0));
    bits sign_y = num_to_bits(y) & sign_bit;
    mask x_negative = (mask)((num_to_bits(x) & sign_bit) != 0);
    num ax = num_from_bits(num_to_bits(x) & ~sign_bit);
    num ay = num_from_bits(num_to_bits(y) & ~sign_bit);

    mask steep = num_lt(ax, ay);
    num small = num_select(steep, ax, ay);
    num large = num_select(steep, ay, ax);
    mask upper = num_lt(K(0.41421356237309503) * large, small);
    num over = num_select(upper, small - large, small);
    num under = num_select(upper, small + large, large);
    mask both_zero = (mask)(under == K(0));
    num r = over / num_select(both_zero, K(1), under);
    num z = r * r;

    num p = K(-0.017920779609164106);
    p = p * z + K(0.03807697779068625);
    p = p * z + K(-0.050397937386889594);
    p = p * z + K(0.05847997683889833);
    p = p * z + K(-0.06663118878027659);
    p = p * z + K(0.07692061508215557);
    p = p * z + K(-0.0909089782942004);
    p = p * z + K(0.11111110785901666);
    p = p * z + K(-0.1428571428024397);
    p = p * z + K(0.19999999999954038);
    p = p * z + K(-0.333333333333332);
    num a = r + r * z * p;
    a = num_select(upper, K(0x1.921fb54442d18p-1) + (a + K(0x1.1a62633145c07p-55)), a);
    a = num_select(steep, K(0x1.921fb54442d18p+0) - (a - K(0x1.1a62633145c07p-54)), a);
    a = num_select(x_negative, K(0x1.921fb54442d18p+1) - (a - K(0x1.1a62633145c07p-53)), a);
    return num_from_bits(num_to_bits(a) | sign_y);
}

#endif
