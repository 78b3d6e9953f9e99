# The kinds of kernel objects: kernel/table.c is compiled once for each line that fits the processor. CMake reads this
# file, and so does scripts/check-cxx.sh: one line per kind, nothing else.
#
# hamel_kind(NAME PROCESSOR NUMBER "DEFINITIONS" "FLAGS" "FLAGS IF THE COMPILER HAS THEM")
#
#   NAME         hmli_kernels_NAME is the symbol of its table; HML_HAVE_NAME tells kernel/dispatch.c that it is there
#   PROCESSOR    any, x86, arm or other; all but `any` want HAMEL_SIMD
#   NUMBER       what `num` is (num/num.h): F64, F32, X2, X4, X8, F32X4, F32X8, F32X16
#   DEFINITIONS  SCALAR_COLUMN_LANES: columns in a register of a scalar object (kernel/simd/base6.h);
#                KERNEL_WITHOUT_PACK_EXTRAS: of packs of states only the linearization and M (kernel/table.c)
#
# Scalar objects with AVX are the fallback of single calls. gcc must not pair the scalars of a 3-vector there, which
# costs more than it saves. The avx512vl objects have the 32 registers of AVX-512 but use none of 512 bits, which lower
# the CPU frequency (docs/decisions/0011), not even to copy.
hamel_kind(scalar any F64 "" "" "")
hamel_kind(scalar_f32 any F32 "" "" "")
hamel_kind(sse2_x2 x86 X2 "" "" "")
hamel_kind(neon_x2 arm X2 "" "" "")
hamel_kind(vector_x2 other X2 "" "" "")
hamel_kind(sse2_f32x4 x86 F32X4 "" "" "")
hamel_kind(neon_f32x4 arm F32X4 "" "" "")
hamel_kind(vector_f32x4 other F32X4 "" "" "")
hamel_kind(avx2_f32x8 x86 F32X8 "" "-mavx2 -mfma -mbmi" "")
hamel_kind(avx512_f32x16 x86 F32X16 "" "-mavx512f -mavx512dq -mavx512vl -mfma -mbmi -mprefer-vector-width=512" "")
hamel_kind(avx2_x4 x86 X4 "" "-mavx2 -mfma -mbmi" "")
hamel_kind(avx512_x8 x86 X8 "" "-mavx512f -mavx512dq -mavx512vl -mfma -mbmi -mprefer-vector-width=512" "")
hamel_kind(avx2_scalar x86 F64 "SCALAR_COLUMN_LANES=4" "-mavx2 -mfma -mbmi -fno-tree-slp-vectorize" "")
hamel_kind(avx512vl_scalar x86 F64 "SCALAR_COLUMN_LANES=4" "-mavx512f -mavx512dq -mavx512vl -mfma -mbmi -mprefer-vector-width=256 -fno-tree-slp-vectorize" "-mmove-max=256 -mstore-max=256")
hamel_kind(avx512vl_x4 x86 X4 "KERNEL_WITHOUT_PACK_EXTRAS" "-mavx512f -mavx512dq -mavx512vl -mfma -mbmi -mprefer-vector-width=256" "-mmove-max=256 -mstore-max=256")
