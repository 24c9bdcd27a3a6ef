#include "cuda/gemm/gemm_key.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/dtype.h"

namespace headroom::cuda {
namespace {

constexpr int64_t kAdd = 1, kBias = 2, kGelu = 4, kBeforeGelu = 8, kSlope = 16, kColumnSums = 32;

int64_t bits_of(const Epilogue& e) {
    const auto bit = [](bool there, int64_t which) { return there ? which : 0; };
    return bit(e.add != nullptr, kAdd) | bit(e.bias != nullptr, kBias) | bit(e.gelu, kGelu) |
           bit(e.before_gelu != nullptr, kBeforeGelu) | bit(e.slope_at != nullptr, kSlope) |
           bit(e.column_sums != nullptr, kColumnSums);
}

}  // namespace

int64_t alignment_of(const void* address) {
    const auto number = reinterpret_cast<uintptr_t>(address);
    int64_t bytes = 1;
    while (bytes < 16 && number % static_cast<uintptr_t>(2 * bytes) == 0) bytes *= 2;
    return bytes;
}

GemmKey::GemmKey(const Gemm& p, const Epilogue& e) {
    const GemmShape& s = p.shape;
    int64_t align_c = alignment_of(p.c);
    for (const void* like_c : {e.add, static_cast<const void*>(e.before_gelu), e.slope_at})
        if (like_c != nullptr) align_c = std::min(align_c, alignment_of(like_c));
    numbers_ = {s.m,
                s.n,
                s.k,
                s.a_transposed,
                s.b_transposed,
                s.lda,
                s.ldb,
                s.ldc,
                static_cast<int64_t>(p.in),
                static_cast<int64_t>(p.out),
                p.batch.count,
                p.batch.a,
                p.batch.b,
                p.batch.c,
                alignment_of(p.a),
                alignment_of(p.b),
                align_c,
                bits_of(e)};
}

std::string GemmKey::text() const {
    const auto& n = numbers_;
    std::string text = fmt::format(
        "{} -> {} m{} n{} k{} {}{} {} {} {} align {} {} {}", name_of(static_cast<DType>(n[kIn])),
        name_of(static_cast<DType>(n[kOut])), n[kM], n[kN], n[kK], n[kATransposed] ? 'T' : 'N',
        n[kBTransposed] ? 'T' : 'N', n[kLdA], n[kLdB], n[kLdC], n[kAlignA], n[kAlignB], n[kAlignC]);
    if (n[kCount] != 1)
        text += fmt::format(" batch {} {} {} {}", n[kCount], n[kNextA], n[kNextB], n[kNextC]);
    const std::pair<int64_t, const char*> parts[] = {{kAdd, " add"},     {kBias, " bias"},
                                                     {kGelu, " gelu"},   {kBeforeGelu, " keeps"},
                                                     {kSlope, " slope"}, {kColumnSums, " sums"}};
    for (const auto& [bit, name] : parts)
        if ((n[kEpilogue] & bit) != 0) text += name;
    return text;
}

bool may_have_epilogue(const Gemm& p, const Epilogue& e) {
    if (p.batch.count != 1) return false;
    const bool gelu = e.gelu || e.slope_at != nullptr;
    if ((gelu || e.column_sums != nullptr) && p.in != DType::kBF16) return false;
    for (const void* like_c : {static_cast<const void*>(e.before_gelu), e.slope_at})
        if (like_c != nullptr &&
            (alignment_of(like_c) < 16 || p.shape.ldc % 8 != 0 || p.out != DType::kBF16))
            return false;
    for (const void* vector : {e.bias, static_cast<const void*>(e.column_sums)})
        if (vector != nullptr && alignment_of(vector) < 16) return false;
    return e.column_sums == nullptr || !p.shape.b_transposed;
}

int64_t span_of_c(const Gemm& p) {
    return (p.batch.count - 1) * p.batch.c + (p.shape.m - 1) * p.shape.ldc + p.shape.n;
}

}  // namespace headroom::cuda
