#pragma once

#include "core/graph/op.h"

namespace headroom {

/// One summand of a piece: columns [first, first + width) of data input `input`, times a
/// coefficient constant + slope * w, w being element `element` of weight input `weights`
/// (counted among the weight inputs; -1: the constant alone).
struct MixTerm {
    int input = 0;
    int64_t first = 0;
    double constant = 1.0;
    double slope = 0.0;
    int weights = -1;
    int64_t element = 0;

    bool operator==(const MixTerm&) const = default;
};

/// `width` columns of the output: the sum of its terms, zero if there are none.
struct MixPiece {
    int64_t width = 0;
    std::vector<MixTerm> terms;

    bool operator==(const MixPiece&) const = default;
};

struct ColumnMixOptions {
    size_t n_data = 0;             ///< the first inputs; those after them are weights
    std::vector<MixPiece> pieces;  ///< of the output, from its first column on
};

/// Blocks of columns as weighted sums of blocks of other tensors' columns, with fixed or learned
/// weights: heads that several layers make together (Zhou et al. 2024, arXiv:2410.17897, section 3;
/// Wu et al., SkipV1Former), the latent and the keys of latent attention (DeepSeek-AI 2024,
/// arXiv:2405.04434, section 2.1), depth-weighted averages (Pagliardini et al. 2024,
/// arXiv:2402.02622, section 3) and hyper-connections (Zhu et al. 2024, arXiv:2409.19606, section
/// 2): for every row, y[piece] = sum over terms of (constant + slope w) x_input[first ...].
/// Inputs: n_data tensors (..., columns) of one type and equal rows, then weights of any shape in
/// the accumulator type. Output: (..., sum of widths). Sums in the accumulator type.
class ColumnMix : public Op {
  public:
    /// REQUIRES: every term names a data input, columns and elements that can exist.
    explicit ColumnMix(ColumnMixOptions options);

    std::string_view name() const override { return "column_mix"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const ColumnMixOptions& options() const { return options_; }

  private:
    ColumnMixOptions options_;
};

/// dx_input[first ...] += (constant + slope w) dy[piece]: the transposed mix, columns that nobody
/// reads get zero. {weights ..., dy} -> the gradients of the data inputs listed in `targets`, whose
/// columns are columns[input].
class ColumnMixBackwardData : public Op {
  public:
    ColumnMixBackwardData(const ColumnMixOptions& options, const std::vector<int64_t>& columns,
                          std::vector<size_t> targets);

    std::string_view name() const override { return "column_mix_backward_data"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const std::vector<std::vector<MixPiece>>& transposed() const { return transposed_; }

  private:
    ColumnMixOptions options_;
    std::vector<size_t> targets_;
    /// For each target the mix of dy that it is.
    std::vector<std::vector<MixPiece>> transposed_;
};

/// dw_element = sum over rows and the terms that name it of slope dy[piece] · x_input[first ...].
/// {data ..., dy} -> the gradients [shapes] of the weight inputs listed in `targets`, in the
/// accumulator type.
class ColumnMixBackwardWeights : public Op {
  public:
    ColumnMixBackwardWeights(ColumnMixOptions options, std::vector<Shape> shapes,
                             std::vector<int> targets);

    std::string_view name() const override { return "column_mix_backward_weights"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const ColumnMixOptions& options() const { return options_; }
    const std::vector<int>& targets() const { return targets_; }

  private:
    ColumnMixOptions options_;
    std::vector<Shape> shapes_;  ///< of the targets
    std::vector<int> targets_;
};

}  // namespace headroom
