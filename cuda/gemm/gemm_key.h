#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>

#include "cuda/gemm/gemm_library.h"

namespace headroom::cuda {

/// The largest power of two, at most 16, of which an address is a multiple: how many bytes a kernel
/// may load at once.
int64_t alignment_of(const void* address);

/// What a product's choice of algorithm depends on: sizes, strides, types, alignments and the kind
/// of epilogue; neither addresses nor whether C is added to.
class GemmKey {
  public:
    GemmKey(const Gemm& product, const Epilogue& epilogue);

    int64_t align_a() const { return numbers_[kAlignA]; }
    int64_t align_b() const { return numbers_[kAlignB]; }
    int64_t align_c() const { return numbers_[kAlignC]; }
    /// "bfloat16 -> float32 m8192 n768 k768 NT 768 768 768 align 16 16 16 bias gelu"
    std::string text() const;

    auto operator<=>(const GemmKey&) const = default;

  private:
    enum Field {
        kM,
        kN,
        kK,
        kATransposed,
        kBTransposed,
        kLdA,
        kLdB,
        kLdC,
        kIn,
        kOut,
        kCount,
        kNextA,
        kNextB,
        kNextC,
        kAlignA,
        kAlignB,
        kAlignC,
        kEpilogue,
        kFields
    };
    std::array<int64_t, kFields> numbers_;
};

/// Whether a library may be asked for the epilogue at all. GELU is for bfloat16 alone, since the
/// library's is not exact in float32; kept values want rows that are multiples of 16 bytes.
bool may_have_epilogue(const Gemm& product, const Epilogue& epilogue);

/// How many elements the matrices C of a product span, with what lies between their rows.
int64_t span_of_c(const Gemm& product);

}  // namespace headroom::cuda
