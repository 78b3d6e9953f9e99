/* Which products a processor can run. */
#include "control/product.h"

const product_table *hmli_products(hml_isa isa)
{
    if (isa == HML_ISA_BEST) isa = hml_isa_best();
#if defined(HML_PRODUCT_AVX512)
    if (isa == HML_ISA_AVX512) return &hmli_products_avx512;
#endif
#if defined(HML_PRODUCT_AVX2)
    if (isa == HML_ISA_AVX512 || isa == HML_ISA_AVX2) return &hmli_products_avx2;
#endif
    return &hmli_products_plain;
}
