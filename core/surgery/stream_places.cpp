#include "core/surgery/stream_places.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/enum_names.h"

namespace headroom {

StreamPlaces::StreamPlaces(const ModelConfig& model)
    : n_layer_(static_cast<int>(model.n_layer)), parallel_(model.topology == Topology::kParallel) {
    add_skips(model);
    add_mixtures(model);
    add_norms(model);
    add_identities(model);
    merge_joined();
}

void StreamPlaces::add_skips(const ModelConfig& model) {
    for (int layer = 0; layer < n_layer_; ++layer) {
        if (model.skip_attn.at(layer))
            joins_.push_back({input(layer),
                              attention_output(layer),
                              {"skip", fmt::format("a skip (skip_attn of layer {})", layer)}});
        if (!parallel_ && model.skip_mlp.at(layer))
            joins_.push_back({middle(layer),
                              input(layer + 1),
                              {"skip", fmt::format("a skip (skip_mlp of layer {})", layer)}});
    }
}

/// What joins the streams of several layers.
void StreamPlaces::add_mixtures(const ModelConfig& model) {
    const auto join_layers = [&](const FailedAssumption& what, bool also_end) {
        for (int layer = 1; layer < n_layer_ + (also_end ? 1 : 0); ++layer)
            joins_.push_back({input(0), input(layer), what});
        for (int layer = 1; layer < n_layer_; ++layer)
            joins_.push_back({middle(0), middle(layer), what});
    };
    // One W_down writes to the end, too, if it writes between layers.
    if (model.share_layers)
        join_layers({"shared layers", "layers that share their weights (share_layers)"},
                    n_layer_ > 1);
    if (model.dense) join_layers({"averages", "the averages over earlier layers (dense)"}, true);
    if (model.hyper == HyperKind::kNone) return;
    join_layers(
        {"hyper-connections", fmt::format("hyper-connections (hyper = {})", spelling(model.hyper))},
        true);
}

void StreamPlaces::add_norms(const ModelConfig& model) {
    const auto hold = [&](int place, const char* name, NormKind kind) {
        if (kind != NormKind::kNone)
            holds_.push_back(
                {place,
                 {"norm", fmt::format("a norm in front of it ({}, {})", name, spelling(kind))}});
    };
    for (int layer = 0; layer < n_layer_; ++layer) {
        hold(input(layer), fmt::format("ln_1 of layer {}", layer).c_str(), model.norm.at(layer));
        if (model.has_mlp_norm())
            hold(middle(layer), fmt::format("ln_2 of layer {}", layer).c_str(),
                 model.norm.at(layer));
    }
    hold(end(), "ln_f", model.norm_f);
}

/// Maps that hand slices of the stream to the heads, or heads to the stream, as they are.
void StreamPlaces::add_identities(const ModelConfig& model) {
    for (int layer = 0; layer < n_layer_; ++layer) {
        const LayerChoices choices = model.layer(layer);
        const auto hold = [&](int place, const char* key, std::string_view word) {
            holds_.push_back(
                {place,
                 {fmt::format("{} {}", word, key),
                  fmt::format("{} = {} of layer {}, which takes it as it is", key, word, layer)}});
        };
        if (choices.query == QueryMap::kIdentity || choices.query == QueryMap::kNonlinear)
            hold(input(layer), "query", spelling(choices.query));
        if (choices.key == Projection::kIdentity) hold(input(layer), "key", "identity");
        if (choices.value != ValueMap::kLinear)
            hold(input(layer), "value", spelling(choices.value));
        if (choices.out_proj == Projection::kIdentity)
            hold(attention_output(layer), "out_proj", "identity");
    }
}

void StreamPlaces::merge_joined() {
    for (int place = 0; place <= end(); ++place) basis_of_.push_back(place);
    for (const Join& join : joins_) {
        const int keep = basis_of_[at(join.a)], gone = basis_of_[at(join.b)];
        std::replace(basis_of_.begin(), basis_of_.end(), gone, keep);
    }
}

FailedAssumption StreamPlaces::held_by(int place) const {
    for (const Hold& hold : holds_)
        if (hold.place == place) return hold.what;
    for (const Hold& hold : holds_)
        if (same_basis(hold.place, place))
            return {hold.what.word, fmt::format("{}, joined to it by {}", hold.what.why,
                                                joined_by(hold.place, place).why)};
    return {};
}

FailedAssumption StreamPlaces::joined_by(int a, int b) const {
    // Breadth first, so that the fewest joins are named.
    std::vector<int> from(at(end()) + 1, -1);
    std::vector<const Join*> through(at(end()) + 1, nullptr);
    std::vector<int> reached{a};
    from[at(a)] = a;
    for (size_t i = 0; i < reached.size() && from[at(b)] < 0; ++i)
        for (const Join& join : joins_) {
            if (join.a != reached[i] && join.b != reached[i]) continue;
            const int next = join.a == reached[i] ? join.b : join.a;
            if (from[at(next)] >= 0) continue;
            from[at(next)] = reached[i];
            through[at(next)] = &join;
            reached.push_back(next);
        }
    CHECK(from[at(b)] >= 0, "the places share their basis");
    std::vector<std::string> whys;
    std::string word = "one place";
    for (int place = b; place != a; place = from[at(place)]) {
        const FailedAssumption& what = through[at(place)]->what;
        if (whys.empty() || whys.back() != what.why) whys.push_back(what.why);
        word = what.word;
    }
    std::reverse(whys.begin(), whys.end());
    return {word, whys.empty() ? "being one place" : fmt::format("{}", fmt::join(whys, " and "))};
}

}  // namespace headroom
