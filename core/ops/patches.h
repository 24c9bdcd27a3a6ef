#pragma once

#include "core/graph/op.h"

namespace headroom {

/// What stands beside the patches of a picture.
struct PlacePatchesOptions {
    bool class_token = true;  ///< a row of its own before the patches
    bool positions = true;    ///< a learned row is added to each

    bool operator==(const PlacePatchesOptions&) const = default;
};

/// The sequence of a picture, the first line of a vision transformer (Dosovitskiy et al. 2020,
/// arXiv:2010.11929, equation 1): x[b] = [c; p[b, 0]; p[b, 1]; ...] (+ wpe).
/// Inputs: p (B, P, d), then c [1, d] with a class token, then wpe [T, d] with positions, both in
/// the accumulator type; T is P, with a class token P + 1. Output: x (B, T, d) like p.
class PlacePatches : public Op {
  public:
    /// REQUIRES: one of the two.
    explicit PlacePatches(PlacePatchesOptions options) : options_(options) {}

    std::string_view name() const override { return "place_patches"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void backward(Backward& b) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;

    const PlacePatchesOptions& options() const { return options_; }

  private:
    PlacePatchesOptions options_;
};

/// dp[b, i] = dx[b, 1 + i]: the rows behind the class token. dx (B, T, d) -> dp (B, T - 1, d).
class PlacePatchesBackwardPatches : public Op {
  public:
    std::string_view name() const override { return "place_patches_backward_patches"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

/// dc = sum over b of dx[b, 0]. dx (B, T, d) -> dc [1, d] in the accumulator type.
class PlacePatchesBackwardToken : public Op {
  public:
    std::string_view name() const override { return "place_patches_backward_token"; }
    std::vector<TensorType> infer(std::span<const TensorType> inputs) const override;
    void run(const KernelCall& call) const override;
    void run_reference(const KernelCall& call) const override;
};

}  // namespace headroom
