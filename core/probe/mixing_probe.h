#pragma once

#include "core/log/array_file.h"
#include "core/probe/number_array.h"
#include "core/probe/probe_pass.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// The mixing weights that a model learned, against depth; those that its architecture does not
/// have are empty. NaN where a layer has none.
///     lambda              [L]        ResFormer's share (Zhou et al. 2024, arXiv:2410.17897)
///     dwa                 [L, L + 1] DenseFormer's average after each block over the streams
///     hc_attn/a, b        [L, n]     what a branch of hyper-connections reads and writes
///     hc_attn/r           [L, n, n]  how it mixes the streams; hc_mlp/ the same
/// Hyper-connections as they act: after sigmoid and Sinkhorn where they are manifold-constrained
/// (core/ops/hyper_weights.h).
NumberArrays mixing_weights(const WeightSource& weights);

/// Mean Euclidean norm of the residual stream's rows before the first block and after each, over
/// all tokens of all passes.
class StreamNormSum {
  public:
    /// REQUIRES: the pass has run and taps the streams.
    void add(const ProbePass& pass);
    NumberArray mean() const;

  private:
    NumberArray sum_;
    int64_t rows_ = 0;
};

/// `mixing` with `stream_norm` beside it.
void write_mixing(ArrayFileWriter& file, const NumberArrays& mixing,
                  const NumberArray& stream_norm);

}  // namespace headroom
