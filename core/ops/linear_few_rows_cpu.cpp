#include <algorithm>

#include "core/cpu/parallel.h"
#include "core/ops/linear_few_rows.h"
#include "core/ops/store.h"

// Each thread owns columns of the result. Plain B: four of its rows at a time are added to the sums
// of the thread's columns, which stay in the first-level cache. Transposed B: dot products of its
// rows, four at a time.

namespace headroom {
namespace {

constexpr int64_t kColumnGrain = 64;
constexpr int64_t kCacheBytes = 24 << 10;   ///< for the sums of a piece and four rows of B
constexpr int64_t kThreadBytes = 64 << 10;  ///< of B that are worth waking a thread for
constexpr int64_t kRowsAhead = 8;           ///< of B that are fetched before they are used

/// Columns of one piece.
template <class A>
int64_t piece_columns(int64_t m) {
    const int64_t columns = kCacheBytes / ((4 + m) * static_cast<int64_t>(sizeof(A)));
    return std::max(kColumnGrain, columns / kColumnGrain * kColumnGrain);
}

/// Asks for four rows of B: processors do not foresee a stride of a whole row.
template <class T>
void prefetch_rows(const T* b, int64_t ldb, int64_t columns) {
    constexpr auto kLine = static_cast<int64_t>(64 / sizeof(T));
    for (int64_t row = 0; row < 4; ++row)
        for (int64_t c = 0; c < columns; c += kLine) __builtin_prefetch(b + row * ldb + c);
}

/// sums[c] += sum over four rows of x[l] b[l ldb + c].
template <class T, class A>
[[gnu::noinline]] void add_four_rows(const T* x, const T* b, int64_t ldb, int64_t columns,
                                     A* sums) {
    const A x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    const T *b0 = b, *b1 = b + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb;
#pragma omp simd
    for (int64_t c = 0; c < columns; ++c)
        sums[c] += (x0 * static_cast<A>(b0[c]) + x1 * static_cast<A>(b1[c])) +
                   (x2 * static_cast<A>(b2[c]) + x3 * static_cast<A>(b3[c]));
}

template <class T, class A>
void add_row(A x, const T* b, int64_t columns, A* sums) {
#pragma omp simd
    for (int64_t c = 0; c < columns; ++c) sums[c] += x * static_cast<A>(b[c]);
}

template <class T>
void plain_piece(const GemmShape& s, const T* a, const T* b, T* c, accumulator_t<T>* sums,
                 int64_t first, int64_t columns) {
    using A = accumulator_t<T>;
    for (int64_t r = 0; r < s.m; ++r) std::fill_n(sums + r * s.n + first, columns, A{0});
    int64_t l = 0;
    for (; l + 4 <= s.k; l += 4) {
        if (l + kRowsAhead + 4 <= s.k)
            prefetch_rows(b + (l + kRowsAhead) * s.ldb + first, s.ldb, columns);
        for (int64_t r = 0; r < s.m; ++r)
            add_four_rows(a + r * s.lda + l, b + l * s.ldb + first, s.ldb, columns,
                          sums + r * s.n + first);
    }
    for (; l < s.k; ++l)
        for (int64_t r = 0; r < s.m; ++r)
            add_row(static_cast<A>(a[r * s.lda + l]), b + l * s.ldb + first, columns,
                    sums + r * s.n + first);
    for (int64_t r = 0; r < s.m; ++r)
        for (int64_t j = first; j < first + columns; ++j)
            store(c[r * s.ldc + j], sums[r * s.n + j], s.accumulate);
}

/// Dot products of x with four rows of B.
template <class T, class A>
[[gnu::noinline]] void four_dots(const T* x, const T* b, int64_t ldb, int64_t k, A* dots) {
    const T *b0 = b, *b1 = b + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb;
    A s0 = 0, s1 = 0, s2 = 0, s3 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3)
    for (int64_t l = 0; l < k; ++l) {
        const A value = x[l];
        s0 += value * static_cast<A>(b0[l]);
        s1 += value * static_cast<A>(b1[l]);
        s2 += value * static_cast<A>(b2[l]);
        s3 += value * static_cast<A>(b3[l]);
    }
    dots[0] = s0, dots[1] = s1, dots[2] = s2, dots[3] = s3;
}

template <class T>
void transposed_piece(const GemmShape& s, const T* a, const T* b, T* c, int64_t begin,
                      int64_t end) {
    using A = accumulator_t<T>;
    int64_t j = begin;
    for (; j + 4 <= end; j += 4)
        for (int64_t r = 0; r < s.m; ++r) {
            A dots[4];
            four_dots(a + r * s.lda, b + j * s.ldb, s.ldb, s.k, dots);
            for (int64_t n = 0; n < 4; ++n) store(c[r * s.ldc + j + n], dots[n], s.accumulate);
        }
    for (; j < end; ++j)
        for (int64_t r = 0; r < s.m; ++r) {
            A sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t l = 0; l < s.k; ++l)
                sum += static_cast<A>(a[r * s.lda + l]) * static_cast<A>(b[j * s.ldb + l]);
            store(c[r * s.ldc + j], sum, s.accumulate);
        }
}

}  // namespace

template <class T>
void few_rows_product(const GemmShape& s, const T* a, const T* b, T* c, accumulator_t<T>* sums) {
    // Whole groups of columns, so that every cut puts the same ones together.
    const int64_t groups = (s.n + kColumnGrain - 1) / kColumnGrain;
    const int64_t group_bytes = s.k * kColumnGrain * static_cast<int64_t>(sizeof(T));
    parallel_for(
        groups, kThreadBytes / std::max<int64_t>(group_bytes, 1), [&](int64_t from, int64_t to) {
            const int64_t begin = from * kColumnGrain, end = std::min(s.n, to * kColumnGrain);
            if (s.b_transposed) {
                transposed_piece(s, a, b, c, begin, end);
                return;
            }
            const int64_t columns = piece_columns<accumulator_t<T>>(s.m);
            for (int64_t first = begin; first < end; first += columns)
                plain_piece(s, a, b, c, sums, first, std::min(columns, end - first));
        });
}

template void few_rows_product(const GemmShape&, const float*, const float*, float*, float*);
template void few_rows_product(const GemmShape&, const double*, const double*, double*, double*);
template void few_rows_product(const GemmShape&, const bf16*, const bf16*, bf16*, float*);

}  // namespace headroom
