#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "core/device/device.h"
#include "core/surgery/surgery.h"

namespace headroom {

// What can be done about norms, which hold every basis of the residual stream.

/// Gains go into the matrices that read the norm, exactly: norm(x) diag(g) W = norm(x) (diag(g) W).
/// They stay, as ones, since a norm is stored with one. A bias b becomes b / g.
SurgeryPlan plan_fold_norms(const ModelConfig& model, const SurgeryRequest& request);
TensorFunction folded_norm_tensors(const SurgeryPlan& plan);

/// An approximation: norms become the linear map that they are on average, x -> c (x - mean) g for
/// LayerNorm and c x g for the others. c g goes into the matrices that read it; the means go out of
/// those that write to the stream, or, where a reader remains that keeps them, out of those that
/// read it. c is request.norm_scales of the norm. Where no norm is left, the exact surgeries apply.
/// (Karbevski & Mijoski, remark 2, name this way: Heimersheim 2024, arXiv:2409.13710.) All norms,
/// or the two of request.layer, for which layers can go one after the other while training goes on.
SurgeryPlan plan_freeze_norms(const ModelConfig& model, const SurgeryRequest& request);
/// The norms that `norm` and `norm_f` have not any more.
SurgeryPlan plan_freeze_norms(const ModelConfig& model, const PerLayer<NormKind>& norm,
                              NormKind norm_f, const SurgeryRequest& request);
TensorFunction frozen_norm_tensors(const SurgeryPlan& plan);

/// The scale of every norm of the model ("h.0.ln_1", ..., "ln_f"; of shared layers over all of
/// them): the mean over tokens of the slope of norm(x) / g along x, or along x minus its mean for
/// LayerNorm; there it is 1 / sigma. `tokens` are rows of `seq_len`.
std::map<std::string, double> measure_norm_scales(const WeightSource& source,
                                                  std::span<const int32_t> tokens, int64_t seq_len,
                                                  Device& device);

}  // namespace headroom
