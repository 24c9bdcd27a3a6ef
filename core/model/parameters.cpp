#include "core/model/parameters.h"

#include <cmath>

#include <fmt/format.h>

namespace headroom {
namespace {

constexpr double kInitStd = 0.02;

class SpecList {
  public:
    explicit SpecList(const ModelConfig& model)
        : m_(model),
          residual_std_(model.init_residual_scale
                            ? kInitStd / std::sqrt(2.0 * static_cast<double>(model.n_layer))
                            : kInitStd) {}

    std::vector<ParameterSpec> build() && {
        add("wte.weight", {m_.vocab_size, m_.d_model}, ParameterRole::kEmbedding, kInitStd);
        if (m_.pos == Positions::kLearned)
            add("wpe.weight", {m_.block_size, m_.d_model}, ParameterRole::kPosition, kInitStd);
        for (layer_ = 0; layer_ < m_.n_layer; ++layer_) add_block();
        layer_ = -1;
        if (m_.norm_f != NormKind::kNone) add("ln_f.weight", {m_.d_model}, ParameterRole::kNorm, 0);
        if (!m_.tie)
            add("lm_head.weight", {m_.d_model, m_.vocab_size}, ParameterRole::kHead, kInitStd);
        return std::move(specs_);
    }

  private:
    void add_block() {
        const auto layer = static_cast<size_t>(layer_);
        const int64_t d = m_.d_model;
        const int64_t own_keys = m_.wiring.own_key_heads[layer];
        const int64_t own_values = m_.wiring.own_value_heads[layer];
        const std::string h = fmt::format("h.{}.", layer_);
        if (m_.norm != NormKind::kNone) add(h + "ln_1.weight", {d}, ParameterRole::kNorm, 0);
        if (m_.query == QueryMap::kLinear)
            add(h + "attn.q.weight", {d, m_.n_head * m_.d_head}, ParameterRole::kQuery, kInitStd);
        if (m_.key == Projection::kLinear && own_keys > 0)
            add(h + "attn.k.weight", {d, own_keys * m_.d_head}, ParameterRole::kKey, kInitStd);
        if (m_.value == Projection::kLinear && own_values > 0)
            add(h + "attn.v.weight", {d, own_values * m_.d_head}, ParameterRole::kValue, kInitStd);
        if (m_.out_proj == Projection::kLinear)
            add(h + "attn.o.weight", {m_.n_head * m_.d_head, d}, ParameterRole::kOutput,
                residual_std_);
        if (m_.norm != NormKind::kNone && m_.topology == Topology::kSerial)
            add(h + "ln_2.weight", {d}, ParameterRole::kNorm, 0);
        if (m_.gated_mlp()) add(h + "mlp.gate.weight", {d, m_.d_ff}, ParameterRole::kMlp, kInitStd);
        add(h + "mlp.up.weight", {d, m_.d_ff}, ParameterRole::kMlp, kInitStd);
        add(h + "mlp.down.weight", {m_.d_ff, d}, ParameterRole::kMlp, residual_std_);
    }

    void add(std::string name, Shape shape, ParameterRole role, double init_std) {
        specs_.push_back({std::move(name), std::move(shape), role, layer_, init_std});
    }

    const ModelConfig& m_;
    double residual_std_;
    int layer_ = -1;
    std::vector<ParameterSpec> specs_;
};

}  // namespace

std::string_view name_of(ParameterRole role) {
    switch (role) {
        case ParameterRole::kEmbedding:
            return "embedding";
        case ParameterRole::kPosition:
            return "position";
        case ParameterRole::kNorm:
            return "norm";
        case ParameterRole::kQuery:
            return "query";
        case ParameterRole::kKey:
            return "key";
        case ParameterRole::kValue:
            return "value";
        case ParameterRole::kOutput:
            return "attention output";
        case ParameterRole::kMlp:
            return "mlp";
        case ParameterRole::kHead:
            return "head";
    }
    CHECK(false, "unknown role");
}

std::vector<ParameterSpec> parameter_specs(const ModelConfig& model) {
    CHECK(model.vocab_size > 0, "vocab_size must be known before the parameters are");
    return SpecList(model).build();
}

}  // namespace headroom
