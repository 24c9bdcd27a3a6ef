#include "core/model/cached_attention_builder.h"

#include <algorithm>

#include "core/ops/column_mix.h"
#include "core/ops/decode_cache.h"
#include "core/ops/head_linear.h"

namespace headroom {
namespace {

/// The place of a cache among the operator's caches: its inputs without the query.
int place_of(ValueId cache, std::vector<ValueId>& inputs) {
    auto at = std::find(inputs.begin() + 1, inputs.end(), cache);
    if (at == inputs.end()) at = inputs.insert(at, cache);
    return static_cast<int>(at - inputs.begin()) - 1;
}

void set_weight(const HeadSource& source, CacheSegment& segment) {
    const bool lambda = source.learned == SourceWeight::kLambda;
    const bool fixed = source.learned == SourceWeight::kFixed;
    segment.constant = fixed ? source.weight : (lambda ? 0.0 : 1.0);
    segment.slope = fixed ? 0.0 : (lambda ? 1.0 : -1.0);
}

}  // namespace

std::unique_ptr<AttentionBuilder> make_attention_builder(ForwardEmitter& emit) {
    if (emit.options().caches == nullptr) return std::make_unique<AttentionBuilder>(emit);
    return std::make_unique<CachedAttentionBuilder>(emit, *emit.options().caches);
}

ValueId CachedAttentionBuilder::heads(int layer, ValueId u) {
    const auto at = static_cast<size_t>(layer);
    const std::string name = emit_.layer_name(layer) + "attn.";
    std::vector<ValueId> inputs{query(layer, u)};
    project_own_keys(layer, u);
    project_own_values(layer, u);
    keep(keys_.back(), caches_.keys[at], name + "k.kept");
    keep(values_.back(), caches_.values[at], name + "v.kept");
    CachedAttentionOptions options;
    options.n_head = model_.n_head;
    options.n_kv_head = model_.n_kv_head;
    options.query_width = options.out_width = model_.d_head;
    options.scale = model_.attn_scale;
    options.keys = head_segments(model_.wiring.keys[at], caches_.keys, inputs);
    options.values = head_segments(model_.wiring.values[at], caches_.values, inputs);
    // A layer that reads nothing at all still needs to know how many positions there are.
    if (inputs.size() == 1) inputs.push_back(caches_.all().front());
    options.n_cache = inputs.size() - 1;
    options.has_lambda = learns_lambda(model_.wiring, layer);
    if (options.has_lambda)
        inputs.push_back(emit_.weights().master(emit_.layer_weights(layer) + "attn.lambda"));
    return emit_.apply1(std::make_shared<CachedAttention>(std::move(options)), std::move(inputs),
                        name + "heads");
}

void CachedAttentionBuilder::keep(ValueId x, ValueId cache, const std::string& name) {
    if (cache == kNoValue) return;
    const Shape shape = emit_.type_of(cache).shape;
    emit_.apply_in_place(std::make_shared<CacheAppend>(shape[1], shape[3], shape[2]), {x}, cache,
                         name);
}

std::vector<std::vector<CacheSegment>> CachedAttentionBuilder::head_segments(
    const std::vector<HeadSources>& heads, const std::vector<ValueId>& caches,
    std::vector<ValueId>& inputs) const {
    std::vector<std::vector<CacheSegment>> segments(heads.size());
    for (size_t g = 0; g < heads.size(); ++g)
        for (const HeadSource& source : heads[g]) {
            CacheSegment segment;
            segment.cache = place_of(caches[static_cast<size_t>(source.layer)], inputs);
            segment.head = source.head;
            segment.width = model_.d_head;
            set_weight(source, segment);
            segments[g].push_back(segment);
        }
    return segments;
}

ValueId CachedAttentionBuilder::latent_heads(int layer, ValueId u) {
    const auto at = static_cast<size_t>(layer);
    const std::string name = emit_.layer_name(layer) + "attn.";
    const MlaConfig& mla = *model_.mla;
    std::vector<ValueId> inputs{absorbed_query(layer, u)};
    project_own_latent(layer, u);
    keep(latents_.back(), caches_.latents[at], name + "latent.kept");
    const auto& [own, shared, source] = model_.wiring.latents[at];
    std::vector<CacheSegment> values;
    if (own > 0) values.push_back({place_of(caches_.latents[at], inputs), 0, 0, own, 0});
    if (shared > 0)
        values.push_back(
            {place_of(caches_.latents[static_cast<size_t>(source)], inputs), 0, own, shared, own});
    std::vector<CacheSegment> keys = values;
    if (mla.d_r > 0) {
        keep(latent_rope(layer, u), caches_.ropes[at], name + "k_rope.kept");
        keys.push_back({place_of(caches_.ropes[at], inputs), 0, 0, mla.d_r, mla.d_c});
    }
    CachedAttentionOptions options;
    options.n_head = model_.n_head;
    options.n_kv_head = 1;  // every head reads the same latent
    options.query_width = mla.d_c + mla.d_r;
    options.out_width = mla.d_c;
    options.scale = model_.attn_scale;
    options.n_cache = inputs.size() - 1;
    options.keys = {std::move(keys)};
    options.values = {std::move(values)};
    const ValueId latent = emit_.apply1(std::make_shared<CachedAttention>(std::move(options)),
                                        std::move(inputs), name + "heads.latent");
    return emit_.apply1(
        std::make_shared<HeadLinear>(model_.n_head, false, mla.d_c),
        {latent, emit_.weights().matrix(emit_.layer_weights(layer) + "attn.v_up.weight")},
        name + "heads");
}

/// Every head [W_uk^T of its content part | its rotary part].
ValueId CachedAttentionBuilder::absorbed_query(int layer, ValueId u) {
    const std::string name = emit_.layer_name(layer) + "attn.q.absorbed";
    const MlaConfig& mla = *model_.mla;
    const int64_t stride = mla.d_nope + mla.d_r;
    const ValueId q = latent_query(layer, u);
    const ValueId content = emit_.apply1(
        std::make_shared<HeadLinear>(model_.n_head, true, stride),
        {q, emit_.weights().matrix(emit_.layer_weights(layer) + "attn.k_up.weight")}, name);
    if (mla.d_r == 0) return content;
    ColumnMixOptions joined{2, {}};
    for (int64_t h = 0; h < model_.n_head; ++h) {
        joined.pieces.push_back({mla.d_c, {{0, h * mla.d_c}}});
        joined.pieces.push_back({mla.d_r, {{1, h * stride + mla.d_nope}}});
    }
    return emit_.apply1(std::make_shared<ColumnMix>(std::move(joined)), {content, q},
                        name + ".joined");
}

}  // namespace headroom
