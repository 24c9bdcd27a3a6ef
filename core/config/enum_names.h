#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/config/job.h"

namespace headroom {

/// How the values of an enumeration are spelled in job files and checkpoints, in schema order.
/// Specialised for every enumeration of a job. Spellings live on disk: never change one.
template <class E>
struct Spellings;

template <>
struct Spellings<NormKind> {
    static constexpr std::array<std::pair<NormKind, std::string_view>, 4> kList{
        {{NormKind::kLayerNorm, "layernorm"},
         {NormKind::kRmsNorm, "rmsnorm"},
         {NormKind::kDyT, "dyt"},
         {NormKind::kNone, "none"}}};
};
template <>
struct Spellings<Positions> {
    static constexpr std::array<std::pair<Positions, std::string_view>, 3> kList{
        {{Positions::kLearned, "learned"}, {Positions::kRope, "rope"}, {Positions::kNone, "none"}}};
};
template <>
struct Spellings<RopeStyle> {
    static constexpr std::array<std::pair<RopeStyle, std::string_view>, 2> kList{
        {{RopeStyle::kHalf, "half"}, {RopeStyle::kInterleaved, "interleaved"}}};
};
template <>
struct Spellings<MlpKind> {
    static constexpr std::array<std::pair<MlpKind, std::string_view>, 8> kList{
        {{MlpKind::kGelu, "gelu"},
         {MlpKind::kGeluTanh, "gelu_tanh"},
         {MlpKind::kRelu, "relu"},
         {MlpKind::kRelu2, "relu2"},
         {MlpKind::kSilu, "silu"},
         {MlpKind::kSwiglu, "swiglu"},
         {MlpKind::kGeglu, "geglu"},
         {MlpKind::kReglu, "reglu"}}};
};
template <>
struct Spellings<QueryMap> {
    static constexpr std::array<std::pair<QueryMap, std::string_view>, 4> kList{
        {{QueryMap::kLinear, "linear"},
         {QueryMap::kIdentity, "identity"},
         {QueryMap::kResidual, "residual"},
         {QueryMap::kNonlinear, "nonlinear"}}};
};
template <>
struct Spellings<Projection> {
    static constexpr std::array<std::pair<Projection, std::string_view>, 2> kList{
        {{Projection::kLinear, "linear"}, {Projection::kIdentity, "identity"}}};
};
template <>
struct Spellings<ValueMap> {
    static constexpr std::array<std::pair<ValueMap, std::string_view>, 3> kList{
        {{ValueMap::kLinear, "linear"},
         {ValueMap::kIdentity, "identity"},
         {ValueMap::kNonlinear, "nonlinear"}}};
};
template <>
struct Spellings<Topology> {
    static constexpr std::array<std::pair<Topology, std::string_view>, 2> kList{
        {{Topology::kSerial, "serial"}, {Topology::kParallel, "parallel"}}};
};
template <>
struct Spellings<ParallelNorm> {
    static constexpr std::array<std::pair<ParallelNorm, std::string_view>, 2> kList{
        {{ParallelNorm::kShared, "shared"}, {ParallelNorm::kSeparate, "separate"}}};
};
template <>
struct Spellings<HyperKind> {
    static constexpr std::array<std::pair<HyperKind, std::string_view>, 3> kList{
        {{HyperKind::kNone, "none"}, {HyperKind::kHc, "hc"}, {HyperKind::kMhc, "mhc"}}};
};

template <>
struct Spellings<InputKind> {
    static constexpr std::array<std::pair<InputKind, std::string_view>, 2> kList{
        {{InputKind::kTokens, "tokens"}, {InputKind::kImages, "images"}}};
};
template <>
struct Spellings<Pooling> {
    static constexpr std::array<std::pair<Pooling, std::string_view>, 2> kList{
        {{Pooling::kClassToken, "class_token"}, {Pooling::kMean, "mean"}}};
};
template <>
struct Spellings<Augmentation> {
    static constexpr std::array<std::pair<Augmentation, std::string_view>, 3> kList{
        {{Augmentation::kNone, "none"},
         {Augmentation::kFlip, "flip"},
         {Augmentation::kCropFlip, "crop_flip"}}};
};

template <>
struct Spellings<Schedule> {
    static constexpr std::array<std::pair<Schedule, std::string_view>, 3> kList{
        {{Schedule::kNanogpt, "nanogpt"},
         {Schedule::kOneCycle, "one_cycle"},
         {Schedule::kLinearCosine, "linear_cosine"}}};
};
template <>
struct Spellings<DecayGroups> {
    static constexpr std::array<std::pair<DecayGroups, std::string_view>, 3> kList{
        {{DecayGroups::kMatrices, "matrices"},
         {DecayGroups::kNoEmbeddings, "no_embeddings"},
         {DecayGroups::kAll, "all"}}};
};

template <>
struct Spellings<TrainingObjective> {
    static constexpr std::array<std::pair<TrainingObjective, std::string_view>, 3> kList{
        {{TrainingObjective::kNextToken, "next_token"},
         {TrainingObjective::kMasked, "masked"},
         {TrainingObjective::kClasses, "classes"}}};
};

template <class E>
std::string_view spelling(E value) {
    for (const auto& [candidate, text] : Spellings<E>::kList)
        if (candidate == value) return text;
    CHECK(false, "every value has a spelling");
}

template <class E>
std::vector<std::string> spellings() {
    std::vector<std::string> texts;
    for (const auto& [value, text] : Spellings<E>::kList) texts.emplace_back(text);
    return texts;
}

/// REQUIRES: `text` is one of spellings<E>().
template <class E>
E value_of(std::string_view text) {
    for (const auto& [value, candidate] : Spellings<E>::kList)
        if (candidate == text) return value;
    CHECK(false, "the spelling was checked before");
}

}  // namespace headroom
