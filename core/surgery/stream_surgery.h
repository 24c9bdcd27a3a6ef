#pragma once

#include "core/surgery/surgery.h"

namespace headroom {

// Surgeries that change the basis of the residual stream, so that matrices which read or write it
// become the identity.

/// 11.4: one matrix of one layer; every place that a skip joins to it stands in the same basis.
SurgeryPlan plan_remove_one(const ModelConfig& model, const SurgeryRequest& request);
/// 11.5: one matrix of every layer; without MLP skips every layer has a basis of its own.
SurgeryPlan plan_remove_all(const ModelConfig& model, const SurgeryRequest& request);
/// 11.6: one matrix of the block that all layers share.
SurgeryPlan plan_remove_shared(const ModelConfig& model, const SurgeryRequest& request);
/// 11.7: W_Q, W_K or W_V together with W_O of every layer of a serial model without skips.
SurgeryPlan plan_remove_with_output(const ModelConfig& model, const SurgeryRequest& request);
/// 11.8: one matrix of every layer of a parallel model.
SurgeryPlan plan_remove_parallel(const ModelConfig& model, const SurgeryRequest& request);

TensorFunction rebased_tensors(const SurgeryPlan& plan);

}  // namespace headroom
