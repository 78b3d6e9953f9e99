/*
 * Sine and cosine of doubles, alone or in packs, and of packs of floats, without a branch for |x| < 1e6 (floats: 8192):
 * about 2 ulp.
 *
 * x = n·π/2 + r with |r| <= π/4. π/2 is split into three parts of 33 bits, so that n times a part is exact for
 * n < 2^20 with or without FMA (floats: 8, 11 and 24 bits, n < 2^13). Minimax polynomials in r² (relative error 4e-18;
 * floats: 6e-9), then the quadrant swaps and signs. Larger arguments, infinities and NaN go lane by lane to libm, in
 * double: the only lane loop there is.
 */
#ifndef HML_NUM_SINCOS_H
#define HML_NUM_SINCOS_H

#if defined __CUDACC__
#define NUM_COLD static __host__ __device__ __noinline__
#elif defined __GNUC__
#define NUM_COLD __attribute__((noinline, cold)) static
#else
#define NUM_COLD static
#endif

#if defined NUM_SINGLE
#define SINCOS_FAR   8192.0
#define SINCOS_MAGIC 0x1.8p23
#define SINCOS_SIGN  30 /* from bit 1 to the sign */
#define SINCOS_PART1 0x1.92p0
#define SINCOS_PART2 0x1.fb4p-12
#define SINCOS_PART3 0x1.4442d18469899p-24
#else
#define SINCOS_FAR   1e6
#define SINCOS_MAGIC 0x1.8p52
#define SINCOS_SIGN  62
#define SINCOS_PART1 1.5707963267341256
#define SINCOS_PART2 6.077100506303966e-11
#define SINCOS_PART3 2.0222662487111665e-21
#endif

/* beyond SINCOS_FAR, infinity and NaN: apart and cold, so that the rest can be inlined */
NUM_COLD void num_sincos_far(const num *x, num *s, num *c)
{
    for (int i = 0; i < LANES; i++) {
        double xi = num_get(*x, i);
        if (xi < SINCOS_FAR && xi > -SINCOS_FAR) continue;
        num_set(s, i, (lane)sin(xi));
        num_set(c, i, (lane)cos(xi));
    }
}

/* sin(r)/r and cos(r) of z = r², |r| <= π/4; ps: sin(r)/r = 1 + z ps */
NUM_INLINE void num_sincos_series(num z, num *ps, num *cosine)
{
#if defined NUM_SINGLE
    num s = K(-1.9515295891e-4);
    s = s * z + K(8.3321608736e-3);
    *ps = s * z + K(-1.6666654611e-1);

    num pc = K(2.443315711809948e-5);
    pc = pc * z + K(-1.388731625493765e-3);
    pc = pc * z + K(4.166664568298827e-2);
#else
    num s = K(1.589681182908179e-10);
    s = s * z + K(-2.505075838497598e-08);
    s = s * z + K(2.7557313693577104e-06);
    s = s * z + K(-0.00019841269829812394);
    s = s * z + K(0.008333333333322418);
    *ps = s * z + K(-0.16666666666666632);

    num pc = K(-1.1359658863275222e-11);
    pc = pc * z + K(2.0875723479336176e-09);
    pc = pc * z + K(-2.7557314353790694e-07);
    pc = pc * z + K(2.4801587289487016e-05);
    pc = pc * z + K(-0.0013888888888874131);
    pc = pc * z + K(0.0416666666666666);
#endif
    num half = K(0.5) * z;
    num one = K(1) - half; /* what the subtraction lost comes back: (1 − one) − half */
    *cosine = one + (((K(1) - one) - half) + z * z * pc);
}

NUM_INLINE void num_sincos(num x, num *s, num *c)
{
    const num magic = K(SINCOS_MAGIC); /* adding it rounds to an integer, whose low bits it then shows */
    num t = x * K(0x1.45f306dc9c883p-1) + magic;
    bits quadrant = num_to_bits(t);
    num n = t - magic;
    num r = ((x - n * K(SINCOS_PART1)) - n * K(SINCOS_PART2)) - n * K(SINCOS_PART3);
    num z = r * r, ps, cosine;
    num_sincos_series(z, &ps, &cosine);
    num sine = r + r * z * ps;

    mask odd = (mask)(0 - (quadrant & 1));
    bits sign_s = (quadrant & 2) << SINCOS_SIGN;
    bits sign_c = ((quadrant + 1) & 2) << SINCOS_SIGN;
    *s = num_from_bits(num_to_bits(num_select(odd, cosine, sine)) ^ sign_s);
    *c = num_from_bits(num_to_bits(num_select(odd, sine, cosine)) ^ sign_c);

    mask far = ~(num_lt(x, K(SINCOS_FAR)) & num_lt(K(-SINCOS_FAR), x));
    if (num_any(far)) { /* copies, so that only they need an address */
        num far_x = x, far_s = *s, far_c = *c;
        num_sincos_far(&far_x, &far_s, &far_c);
        *s = far_s, *c = far_c;
    }
}

/*
 * sin(√t)/√t and cos(√t), t >= 0. Below 0.75 nothing is reduced, and the sine's polynomial, which is one in t, is the
 * answer itself: no root, no division, no digits lost towards 0. If all lanes are there, nothing else is computed.
 */
NUM_INLINE void num_sinccos(num t, num *sinc, num *c)
{
    mask near = num_lt(t, K(0.75 * 0.75));
    num ps, cosine;
    num_sincos_series(t, &ps, &cosine);
    *sinc = K(1) + t * ps;
    *c = cosine;
    if (num_any(~near)) {
        num x = num_sqrt(t), s;
        num_sincos(x, &s, &cosine);
        *sinc = num_select(near, *sinc, s / num_select(near, K(1), x));
        *c = num_select(near, *c, cosine);
    }
}

#endif
