#include "panels/architecture/architecture_view.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "panels/base/number_format.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

/// Counts one more head into a share.
void add_head(LayerShare& share, const HeadSource& source) {
    if (share.heads == 0) {
        share.weight = source.weight;
        share.learned = source.learned;
    }
    ++share.heads;
    share.uniform =
        share.uniform && share.weight == source.weight && share.learned == source.learned;
}

LaneFacts lane_facts(const std::vector<HeadSources>& heads, int layer, int projected) {
    LaneFacts facts;
    facts.projected = projected;
    std::map<int, LayerShare> shares;
    for (const HeadSources& sources : heads) {
        const HeadSource* own = nullptr;
        std::map<int, HeadSource> others;
        for (const HeadSource& source : sources) {
            if (source.layer == layer)
                own = &source;
            else
                others.emplace(source.layer, source);
        }
        facts.heads.push_back(sources.empty()  ? HeadRole::kNone
                              : others.empty() ? HeadRole::kOwn
                              : own            ? HeadRole::kMixed
                                               : HeadRole::kReused);
        if (own && !others.empty()) add_head(facts.own_part, *own);
        for (const auto& [from, source] : others)
            add_head(shares.try_emplace(from, LayerShare{from}).first->second, source);
    }
    for (const auto& [from, share] : shares) facts.shares.push_back(share);
    return facts;
}

LatentFacts latent_facts(const ModelConfig& model, int layer) {
    const LatentSharing& latent = model.wiring.latents[static_cast<size_t>(layer)];
    LatentFacts facts;
    facts.width = model.mla->d_c;
    facts.own = latent.own;
    if (latent.shared > 0) facts.source = latent.source;
    return facts;
}

std::vector<int> averaged_streams(const ModelConfig& model, int layer) {
    std::vector<int> streams;
    const int block = layer + 1;
    if (!model.dense || block % model.dwa_period != 0) return streams;
    for (int64_t m = block % model.dwa_dilation; m <= block; m += model.dwa_dilation)
        streams.push_back(static_cast<int>(m));
    return streams;
}

/// The facts with sources told as distances, so that pairs of layers are alike.
LayerFacts relative(LayerFacts facts, int layer) {
    for (LaneFacts* lane : {&facts.keys, &facts.values})
        for (LayerShare& share : lane->shares) share.layer -= layer;
    if (facts.latent && facts.latent->source >= 0) facts.latent->source -= layer;
    return facts;
}

/// The same by mechanism; averages grow with every layer and count as one.
bool alike(const LayerFacts& a, const LayerFacts& b) {
    return a.choices == b.choices && a.keys == b.keys && a.values == b.values &&
           a.latent == b.latent && a.averaged.empty() == b.averaged.empty();
}

/// Groups layers into kinds, by equal sources first and by equal distances where that is fewer.
void find_kinds(ArchitectureView& view) {
    for (int l = 0; l < std::ssize(view.layers); ++l) {
        LayerFacts& facts = view.layers[l];
        const auto fits = [&](const LayerKind& kind) {
            return !kind.by_distance && alike(facts, view.layers[kind.layers.front()]);
        };
        auto found = std::find_if(view.kinds.begin(), view.kinds.end(), fits);
        if (found == view.kinds.end()) {
            const auto fits_by_distance = [&](const LayerKind& kind) {
                const int first = kind.layers.front();
                return (kind.by_distance || kind.layers.size() == 1) &&
                       alike(relative(facts, l), relative(view.layers[first], first));
            };
            found = std::find_if(view.kinds.begin(), view.kinds.end(), fits_by_distance);
            if (found != view.kinds.end()) found->by_distance = true;
        }
        if (found == view.kinds.end()) found = view.kinds.insert(found, LayerKind{});
        found->layers.push_back(l);
        facts.kind = static_cast<int>(found - view.kinds.begin());
    }
}

/// Changed layers and others become kinds of their own, in the order of the layers.
void part_kinds(ArchitectureView& view) {
    std::map<std::pair<int, bool>, int> parts;
    std::vector<LayerKind> kinds;
    for (int l = 0; l < std::ssize(view.layers); ++l) {
        LayerFacts& facts = view.layers[l];
        const auto [part, is_new] =
            parts.try_emplace({facts.kind, facts.changed}, static_cast<int>(kinds.size()));
        if (is_new) kinds.push_back({{}, view.kinds[facts.kind].by_distance});
        kinds[part->second].layers.push_back(l);
        facts.kind = part->second;
    }
    view.kinds = std::move(kinds);
}

std::string small_print(const ModelConfig& model) {
    std::string text = fmt::format("{} layer{}", model.n_layer, model.n_layer == 1 ? "" : "s");
    if (model.vocab_size > 0)
        text += fmt::format(" · {} parameters", format_integer(count_parameters(model).total));
    if (model.bias) text += " · with biases";
    if (model.hyper != HyperKind::kNone)
        text += fmt::format(" · {}hyper-connections, {} streams",
                            model.hyper == HyperKind::kMhc ? "manifold-constrained " : "",
                            model.n_stream);
    text += fmt::format(" · cache {} B per token (bf16)",
                        format_integer(count_cache(model).bytes_per_token(DType::kBF16)));
    return text;
}

bool reuses(const LayerFacts& facts) {
    return !facts.keys.shares.empty() || !facts.values.shares.empty() ||
           (facts.latent && facts.latent->source >= 0);
}

}  // namespace

bool LaneFacts::is_mixture() const {
    const auto is_mixed = [](HeadRole role) { return role == HeadRole::kMixed; };
    return shares.size() == 1 && shares.front().uniform && own_part.uniform &&
           std::all_of(heads.begin(), heads.end(), is_mixed);
}

ArchitectureView build_architecture(const ModelConfig& model, std::string title) {
    ArchitectureView view;
    view.title = std::move(title);
    view.model = model;
    for (int l = 0; l < model.n_layer; ++l) {
        LayerFacts& facts = view.layers.emplace_back();
        facts.choices = model.layer(l);
        if (model.mla) {
            facts.latent = latent_facts(model, l);
        } else {
            facts.keys = lane_facts(model.wiring.keys[l], l, model.wiring.own_key_heads[l]);
            facts.values = lane_facts(model.wiring.values[l], l, model.wiring.own_value_heads[l]);
        }
        facts.averaged = averaged_streams(model, l);
    }
    find_kinds(view);
    view.note = small_print(model);
    return view;
}

void mark_changed_layers(ArchitectureView& view, const ArchitectureView& other) {
    for (size_t l = 0; l < view.layers.size(); ++l) {
        LayerFacts& facts = view.layers[l];
        facts.changed = l >= other.layers.size() || !alike(facts, other.layers[l]) ||
                        facts.averaged != other.layers[l].averaged;
    }
    part_kinds(view);
}

int telling_kind(const ArchitectureView& view) {
    int best = 0;
    const auto rank = [&](const LayerKind& kind) {
        const LayerFacts& first = view.layers[kind.layers.front()];
        return std::tuple(first.changed, reuses(first), kind.layers.size());
    };
    for (int i = 1; i < std::ssize(view.kinds); ++i)
        if (rank(view.kinds[i]) > rank(view.kinds[best])) best = i;
    return best;
}

std::string name_layers(const std::vector<int>& counted) {
    std::vector<int> layers = counted;
    for (int& layer : layers) layer += numbering_base();
    if (layers.empty()) return "no layer";
    if (layers.size() == 1) return fmt::format("Layer {}", layers[0]);
    if (layers.back() - layers.front() + 1 == std::ssize(layers))
        return fmt::format("Layers {}–{}", layers.front(), layers.back());
    if (layers.size() <= 4) return fmt::format("Layers {}", fmt::join(layers, ", "));
    return fmt::format("Layers {}, {}, …, {}", layers[0], layers[1], layers.back());
}

}  // namespace headroom
