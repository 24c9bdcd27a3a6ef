#pragma once

#include <cstddef>
#include <memory>

#include "core/cpu/gemm.h"

namespace headroom {

class PageMemory;

/// Products with float32 sums in the processor's tiles (AMX), of any shape. Factors that tiles
/// cannot read as they lie are packed, so many rows and columns at a time that they take at most
/// 16 MiB each, or a right one 768 KiB a thread (of weight gradients in bfloat16 both together 768
/// KiB, and their sums 576), which is kept for the next product; so are the
/// float sums that a bfloat16 result cannot hold (over more than 1536 numbers 1 MiB a thread, over
/// more than 4096 up to 2048 rows of them). Every sum is formed in the order of the depth: same
/// bits for any number of threads. Not thread-safe.
///
/// A float32 factor is multiplied as the sum of three bfloat16 ones, with the six largest of the
/// nine products: sums come out closer to the true ones than those of a float32 library, with the
/// same limits but two. Numbers from 2^128 - 2^119 on and infinite ones give NaN, and what is
/// smaller than 2^-126 is zero, be it a part of a number (which below 2^-102 then has fewer digits)
/// or a product. (Henry, Tang and Heinecke, 2019: "Leveraging the bfloat16 artificial intelligence
/// datatype for higher-precision computations".)
class AmxProduct {
  public:
    AmxProduct();
    ~AmxProduct();
    AmxProduct(const AmxProduct&) = delete;
    AmxProduct& operator=(const AmxProduct&) = delete;

    /// True if the kernels were compiled for tiles.
    static bool built();
    /// And processor and operating system offer them.
    static bool usable();

    /// True for float32 products that are faster in tiles than by a float32 library.
    static bool worth_it(const GemmShape& shape);

    /// True for products of bfloat16 that tell the squared norms of a float32 C on the way: those
    /// of a weight's gradient.
    static bool tells_squared_norms(const GemmShape& shape) {
        return shape.a_transposed && !shape.b_transposed && !shape.b_panels;
    }

    /// REQUIRES usable().
    void run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c);
    /// `squared_norms`, unless null: of each block of C, kNormSide rows and columns, row by row of
    /// them, the sum of its squared numbers as they are in the end. REQUIRES
    /// tells_squared_norms(shape) then.
    void run(const GemmShape& shape, const bf16* a, const bf16* b, float* c,
             double* squared_norms = nullptr);
    void run(const GemmShape& shape, const float* a, const float* b, float* c);

  private:
    /// Memory that grows where it must.
    class Space {
      public:
        template <class T>
        T* at_least(int64_t count) {
            return reinterpret_cast<T*>(bytes_at_least(static_cast<size_t>(count) * sizeof(T)));
        }

      private:
        std::byte* bytes_at_least(size_t bytes);

        std::unique_ptr<PageMemory> memory_;
        size_t bytes_ = 0;
    };

    template <class E, class C>
    void run_any(const GemmShape& shape, const E* a, const E* b, C* c, double* squared_norms);
    template <class Product>
    void run_packed(const Product& product);
    template <class E>
    void run_to_float(const GemmShape& shape, const E* a, const E* b, float* c,
                      double* squared_norms);

    Space left_, right_, sums_, whole_;
};

}  // namespace headroom
