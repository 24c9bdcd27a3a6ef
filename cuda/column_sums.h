#pragma once

#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {

/// out[c] = sum over rows of term(row, c), in a fixed order: a block for each column. Sums in
/// double, as the parameters' gradients are sums over many tokens.
template <class A, class Term>
void sum_columns(cudaStream_t stream, int64_t rows, int64_t columns, A* out, bool accumulate,
                 Term term) {
    for_rows(stream, columns, 128, [=] __device__(Block & block, int64_t column) {
        double sum = 0;
        for (int64_t row = block.thread(); row < rows; row += block.threads())
            sum += static_cast<double>(term(row, column));
        sum = block.sum(sum);
        if (block.thread() == 0) put(out[column], sum, accumulate);
    });
}

}  // namespace headroom::cuda
