#include "core/surgery/basis_plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr char kOtherTransform[] =
    "remove fewer matrices (remove-one), or train a model without it";

}  // namespace

BasisPlan::BasisPlan(const ModelConfig& model, std::vector<LayerMatrix> removed, bool untie)
    : places_(model), removed_(std::move(removed)), config_(model) {
    choices_.resize(static_cast<size_t>(places_.end()) + 1);
    for (const LayerMatrix& which : removed_)
        if (FailedAssumption why = why_not_square(model, which); possible() && !why.empty())
            refuse(std::move(why), "choose another matrix");
    if (possible()) choose();
    if (possible()) choose_tied(model, untie);
    if (!possible()) return;
    for (const LayerMatrix& which : removed_) remove_matrix(config_, which);
    if (untie) config_.tie = false;
    // A residual query reads the stream as it is; in another basis it is a plain matrix.
    for (int layer = 0; layer < model.n_layer; ++layer)
        if (model.query.at(layer) == QueryMap::kResidual && choice(places_.input(layer)) &&
            !removes({model.share_layers ? 0 : layer, AttentionMatrix::kQuery})) {
            if (model.share_layers)
                config_.query = QueryMap::kLinear;
            else
                config_.query.set(layer, model.n_layer, QueryMap::kLinear);
        }
}

bool BasisPlan::removes(const LayerMatrix& which) const {
    return std::find(removed_.begin(), removed_.end(), which) != removed_.end();
}

void BasisPlan::refuse(FailedAssumption failed, std::string remedy) {
    failed_ = std::move(failed);
    remedy_ = std::move(remedy);
}

int BasisPlan::place_of(const LayerMatrix& which) const {
    return which.matrix == AttentionMatrix::kOutput ? places_.attention_output(which.layer)
                                                    : places_.input(which.layer);
}

void BasisPlan::choose() {
    for (const LayerMatrix& which : removed_) {
        const int place = place_of(which);
        if (const FailedAssumption held = places_.held_by(place); !held.empty())
            return refuse(
                {held.word, fmt::format("{} cannot become the identity: the residual stream would "
                                        "have to change its basis there, which is held by {}",
                                        shown(which), held.why)},
                "this model has no exact form without it");
        if (const auto& other = choice(place)) {
            const FailedAssumption joined = places_.joined_by(place_of(other->from), place);
            return refuse(
                {joined.word,
                 fmt::format("{} and {} each need a basis of their own, but {} {} one",
                             shown(other->from), shown(which), joined.why,
                             place_of(other->from) == place ? "leaves them" : "gives both")},
                kOtherTransform);
        }
        for (int p = 0; p <= places_.end(); ++p)
            if (places_.same_basis(p, place)) choices_[static_cast<size_t>(p)] = Choice{which};
    }
}

/// The embedding writes in the basis of the first place and the head reads in that of the last; one
/// table serves both only if Theta_end = Theta_0^-T.
void BasisPlan::choose_tied(const ModelConfig& model, bool untie) {
    const int begin = places_.input(0), end = places_.end();
    if (!model.tie || untie || (!choice(begin) && !choice(end))) return;
    const auto tied = [&](const std::string& why) {
        refuse({"tied", fmt::format("tied weights (tie = true): {}", why)},
               "untie them with --untie");
    };
    if (places_.same_basis(begin, end))
        return tied(
            fmt::format("the embedding E becomes E Theta and the head Theta^-1 E^T, which "
                        "are transposes only of an orthogonal {}",
                        shown(choice(begin)->from)));
    if (choice(begin) && choice(end))
        return tied("both ends of the residual stream change their basis, each in its own way");
    const int chosen = choice(begin) ? begin : end, other = choice(begin) ? end : begin;
    if (const FailedAssumption held = places_.held_by(other); !held.empty())
        return tied(
            fmt::format("the other end of the residual stream would have to follow, but it "
                        "is held by {}",
                        held.why));
    for (int p = 0; p <= places_.end(); ++p)
        if (places_.same_basis(p, other))
            choices_[static_cast<size_t>(p)] = Choice{choice(chosen)->from, true};
}

/// W_O alone writes to the places of its basis: no other tensor needs W_O^-1.
bool BasisPlan::is_only_writer(const LayerMatrix& output) const {
    const int place = place_of(output);
    const auto elsewhere = [&](int other) { return !places_.same_basis(other, place); };
    bool only = elsewhere(places_.input(0));
    for (int layer = 0; layer < config_.n_layer; ++layer) {
        const bool own = layer == output.layer || config_.share_layers;
        only = only && elsewhere(places_.input(layer + 1)) &&
               (own || elsewhere(places_.attention_output(layer)));
    }
    return only;
}

std::vector<LayerMatrix> BasisPlan::inverted() const {
    std::vector<LayerMatrix> result;
    for (const LayerMatrix& which : removed_) {
        const bool tied = std::any_of(choices_.begin(), choices_.end(), [&](const auto& c) {
            return c && c->from == which && c->from_other_end;
        });
        if (which.matrix != AttentionMatrix::kOutput || tied || !is_only_writer(which))
            result.push_back(which);
    }
    return result;
}

}  // namespace headroom
