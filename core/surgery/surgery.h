#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/linalg/matrix.h"
#include "core/surgery/attention_matrix.h"
#include "core/surgery/basis_plan.h"
#include "core/weights/transformed_weights.h"

namespace headroom {

/// Of the bases that are drawn where no seed is given.
inline constexpr uint64_t kBasisSeed = 1;

/// What a person asks a surgery to do.
struct SurgeryRequest {
    std::vector<AttentionMatrix> matrices = {};  ///< --matrix; empty: the surgery's first
    std::optional<int> layer = {};               ///< --layer, counted from 0
    bool untie = false;  ///< give a tied model a head of its own, where that is what is missing
    std::optional<uint64_t> seed = {};  ///< --seed, of random bases; kBasisSeed unless given
    /// Of an approximate surgery: what measure_norm_scales() found.
    std::map<std::string, double> norm_scales = {};
};

/// The numbers of a tensor of the result; none where it is the source's.
using TensorFunction = decltype(Transformation::tensor);

/// What a surgery would do with a model, from its configuration alone.
struct SurgeryPlan {
    std::string name;
    SurgeryRequest request;
    std::string refusal = {}, remedy = {};  ///< the assumption that fails; "": none does
    std::string assumption = {};            ///< that assumption in a word or two, for pictures
    std::vector<std::string> notes = {};    ///< what stays although the rest applies
    ModelConfig config = {};                ///< of the result
    std::vector<LayerMatrix> inverted = {};
    double basis_condition = 0;  ///< of a basis that the surgery draws itself; 0: it draws none
    /// Where the residual stream changes its basis; null where it does not.
    std::shared_ptr<const BasisPlan> bases = nullptr;

    bool applies() const { return refusal.empty(); }
    void refuse(FailedAssumption failed, std::string how_else);
};

/// Whether a request names a layer.
enum class LayerUse { kNone, kOptional, kNeeded };

/// One transformation of weights: which assumption it needs, the configuration that it gives
/// and how every tensor is made.
struct Surgery {
    const char* name;
    const char* theorem;  ///< paper and section
    const char* summary;
    LayerUse layer;
    bool exact;  ///< else an approximation that needs norm_scales
    /// What it is about besides the matrices that a request names.
    std::vector<AttentionMatrix> matrices;
    /// What a plan lists of it for a model.
    std::vector<SurgeryRequest> (*requests)(const ModelConfig& model);
    SurgeryPlan (*plan)(const ModelConfig& model, const SurgeryRequest& request);
    /// REQUIRES: plan.applies().
    TensorFunction (*tensors)(const SurgeryPlan& plan);
    bool draws = false;  ///< random bases, of a request's seed
};

/// All of them: the exact ones in the order of semantics 11.2 to 11.8, then what norms allow.
const std::vector<Surgery>& surgeries();
/// UserError with the nearest name.
const Surgery& find_surgery(const std::string& name);

/// Plans it; what the request says wrongly (a layer that is not there, a matrix that the surgery
/// does not know, a seed of nothing) is a UserError, what the model does not admit the plan's
/// refusal.
SurgeryPlan plan_surgery(const ModelConfig& model, const Surgery& surgery,
                         const SurgeryRequest& request);

/// Weights of the model minus those of the result; negative where there are more (--untie).
int64_t weights_removed(const ModelConfig& model, const SurgeryPlan& plan);
/// "7,200 weights fewer", and of a negative number "7,200 weights more".
std::string fewer_text(int64_t weights_removed);

/// Layers that have tensors of their own.
int64_t stored_layers(const ModelConfig& model);

/// The matrix of `name` in double precision; a vector is a matrix of one row.
Matrix read_matrix(const WeightSource& source, const std::string& name);
/// A matrix of a layer's attention; of a residual query I + W_Q.
Matrix read_matrix(const WeightSource& source, const LayerMatrix& which);

/// The weights after the surgery; chains, since they are a source again. UserError if the plan does
/// not apply. Tensors that it does not change keep their bits.
std::shared_ptr<WeightSource> operated(std::shared_ptr<const WeightSource> source,
                                       const SurgeryPlan& plan);

}  // namespace headroom
