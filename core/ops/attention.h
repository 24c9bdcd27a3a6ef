#pragma once

#include <memory>

#include "core/graph/op.h"

namespace headroom {

struct AttentionSchedule;

/// Where one key or value head lies: head `head` (0-based, columns [head d_head, (head+1) d_head))
/// of the tensor that is input `input` of the operator. input -1: a value that is zero.
struct HeadRef {
    int input = -1;
    int head = 0;

    bool operator==(const HeadRef&) const = default;
};

struct AttentionOptions {
    int64_t n_head = 0;
    int64_t d_head = 0;   ///< of queries and keys
    int64_t d_value = 0;  ///< of values and outputs; 0 = d_head
    int64_t n_kv_head = 0;
    double scale = 1.0;  ///< factor on the raw scores
    bool causal = true;
    double dropout = 0.0;              ///< of the probabilities
    uint64_t stream = 0;               ///< of the dropout, below 2^32
    std::vector<HeadRef> key_heads;    ///< one per key/value head
    std::vector<HeadRef> value_heads;  ///< one per key/value head

    /// The key/value head that query head h reads.
    int64_t kv_head_of(int64_t h) const { return h * n_kv_head / n_head; }
    int64_t value_width() const { return d_value > 0 ? d_value : d_head; }
    /// Width of the heads of input `input`.
    int64_t head_width(int input) const;
};

/// Multi-head attention, Vaswani et al. 2017, arXiv:1706.03762, section 3.2, with grouped key/value
/// heads (Ainslie et al. 2023, arXiv:2305.13245, section 2.2), each read in place from wherever it
/// was projected. For query head h, g = floor(h n_kv_head / n_head), and batch row b:
///     S_ij = scale q_i · k_j  (j <= i if causal),  lse_i = log sum_j e^S_ij,
///     P_ij = e^(S_ij - lse_i),  out_i = sum_j D(P)_ij v_j,  D the dropout.
/// Inputs: q [B, T, n_head d_head] and any number of tensors [B, T, n d_head] (values: n d_value)
/// of different n that the head references name (input 0, q itself, may be named too). Outputs: out
/// [B, T, n_head d_value] and lse [B, n_head, T] in the accumulator type, saved for the backward.
/// Scores and sums in the accumulator type; no T x T matrix is kept: Dao et al. 2022,
/// arXiv:2205.14135.
class Attention : public Op {
  public:
    /// Throws UserError if the options contradict themselves.
    explicit Attention(AttentionOptions options);

    std::string_view name() const override { return "attention"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;

    const AttentionOptions& options() const { return options_; }

  private:
    AttentionOptions options_;
};

/// With dP = D(dout v^T) and r_i = dout_i · out_i = sum_j P_ij dP_ij:
///     dS_ij = P_ij (dP_ij - r_i),  dq_i = scale sum_j dS_ij k_j,
///     dk_j = scale sum_i dS_ij q_i,  dv_j = sum_i D(P)_ij dout_i,
/// the last two summed over all query heads that read the head. P is made again from lse.
/// {the inputs of Attention, out, lse, dout} -> the gradients of the inputs listed in `targets`;
/// heads that nobody reads get zero.
class AttentionBackward : public Op {
  public:
    AttentionBackward(AttentionOptions options, std::vector<size_t> targets);

    std::string_view name() const override { return "attention_backward"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;

    const AttentionOptions& options() const { return options_; }
    const std::vector<size_t>& targets() const { return targets_; }

  private:
    AttentionOptions options_;
    std::vector<size_t> targets_;
    std::shared_ptr<const AttentionSchedule> schedule_;
};

}  // namespace headroom
