#pragma once

#include "core/graph/op.h"

namespace headroom {

/// x[b, t] = wte[token[b, t]] (+ wpe[t]), the first line of a model.
/// Inputs: tokens int32 [B, T], wte [V, d] and, for learned positions, wpe [block, d] with
/// T <= block; both tables in the accumulator type of `out` (float32 masters are read directly).
/// Output: x [B, T, d] in `out`. Throws UserError for a token outside the vocabulary.
class Embedding : public Op {
  public:
    explicit Embedding(DType out) : out_(out) {}

    std::string_view name() const override { return "embedding"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpCost cost(std::span<const TensorType> inputs) const override;

  private:
    DType out_;
};

/// dwte[v] = sum over (b, t) with token[b, t] = v of dx[b, t], in the order of (b, t).
/// tokens int32 [B, T], dx [B, T, d] -> dwte [V, d], dense, in the accumulator type, and where it
/// tells the norm (Op::telling_norm) that of dwte, looking at the rows alone that it adds to.
class EmbeddingBackwardTokens : public Op {
  public:
    explicit EmbeddingBackwardTokens(int64_t vocab_size, bool tells_norm = false)
        : vocab_size_(vocab_size), tells_norm_(tells_norm) {}

    std::string_view name() const override { return "embedding_backward_tokens"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    int64_t workspace_bytes(std::span<const TensorType> inputs, int threads) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
    OpPtr telling_norm(int output) const override;

  private:
    int64_t vocab_size_;
    bool tells_norm_;
};

/// dwpe[t] = sum over b of dx[b, t]; rows t >= T are zero.
/// dx [B, T, d] -> dwpe [block, d] in the accumulator type.
class EmbeddingBackwardPositions : public Op {
  public:
    explicit EmbeddingBackwardPositions(int64_t block_size) : block_size_(block_size) {}

    std::string_view name() const override { return "embedding_backward_positions"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

  private:
    int64_t block_size_;
};

}  // namespace headroom
