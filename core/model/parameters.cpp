#include "core/model/parameters.h"

#include <cmath>

#include <fmt/format.h>

namespace headroom {
namespace {

/// Manifold-constrained hyper-connections start near the free ones: sigmoid(3) = 0.95 in place of
/// 1, and a row of the mixing matrix gives e^-5 of its weight to each other stream.
constexpr double kHyperLogit = 3.0, kHyperMixLogit = 5.0;

class SpecList {
  public:
    explicit SpecList(const ModelConfig& model)
        : m_(model),
          init_std_(model.init_std),
          residual_std_(model.init_residual_scale
                            ? init_std_ / std::sqrt(2.0 * static_cast<double>(model.n_layer))
                            : init_std_) {}

    std::vector<ParameterSpec> build() && {
        add("wte.weight", {m_.vocab_size, m_.d_model}, ParameterRole::kEmbedding, init_std_);
        if (m_.pos == Positions::kLearned)
            add("wpe.weight", {m_.block_size, m_.d_model}, ParameterRole::kPosition, init_std_);
        // With shared layers only those of the first are stored.
        const int64_t n_stored = m_.share_layers ? 1 : m_.n_layer;
        for (layer_ = 0; layer_ < n_stored; ++layer_) add_block();
        layer_ = -1;
        if (m_.dense) add_averages();
        add_norm("ln_f", m_.norm_f);
        if (!m_.tie)
            add("lm_head.weight", {m_.d_model, m_.vocab_size}, ParameterRole::kHead, init_std_);
        return std::move(specs_);
    }

  private:
    void add_block() {
        const std::string h = fmt::format("h.{}.", layer_);
        add_norm(h + "ln_1", m_.norm);
        m_.mla ? add_latent_attention(h + "attn.", *m_.mla) : add_attention(h + "attn.");
        if (m_.topology == Topology::kSerial) add_norm(h + "ln_2", m_.norm);
        const int64_t d = m_.d_model;
        if (is_gated(m_.mlp.at(layer_)))
            add_projection(h + "mlp.gate", {d, m_.d_ff}, ParameterRole::kMlp);
        add_projection(h + "mlp.up", {d, m_.d_ff}, ParameterRole::kMlp);
        add_projection(h + "mlp.down", {m_.d_ff, d}, ParameterRole::kMlp, residual_std_);
        if (m_.hyper == HyperKind::kNone) return;
        // The branches are attention and MLP in turn, or the one of a parallel block.
        const bool serial = m_.topology == Topology::kSerial;
        add_hyper_connection(h + "hc_attn.", serial ? 2 * layer_ : layer_);
        if (serial) add_hyper_connection(h + "hc_mlp.", 2 * layer_ + 1);
    }

    /// NAME.weight and, where the model has biases, NAME.bias.
    void add_projection(const std::string& name, Shape shape, ParameterRole role) {
        add_projection(name, std::move(shape), role, init_std_);
    }
    void add_projection(const std::string& name, Shape shape, ParameterRole role, double std) {
        const int64_t columns = shape.back();
        add(name + ".weight", std::move(shape), role, std);
        if (m_.bias) add(name + ".bias", {columns}, role, 0, 0.0);
    }

    /// Initial values: Zhu et al. 2024, arXiv:2409.19606, section 2.3: branch m reads stream
    /// m mod n, writes to all, and the streams do not mix.
    void add_hyper_connection(const std::string& name, int branch) {
        const int64_t n = m_.n_stream;
        const bool free = m_.hyper == HyperKind::kHc;
        std::vector<double> read(static_cast<size_t>(n), free ? 0.0 : -kHyperLogit);
        read[static_cast<size_t>(branch % n)] = free ? 1.0 : kHyperLogit;
        std::vector<double> mix(static_cast<size_t>(n * n), 0.0);
        for (int64_t i = 0; i < n; ++i)
            mix[static_cast<size_t>(i * (n + 1))] = free ? 1.0 : kHyperMixLogit;
        add(name + "a", {n}, ParameterRole::kMixing, 0);
        specs_.back().init_values = std::move(read);
        add(name + "b", {n}, ParameterRole::kMixing, 0, free ? 1.0 : 0.0);
        add(name + "r", {n, n}, ParameterRole::kMixing, 0);
        specs_.back().init_values = std::move(mix);
    }

    void add_attention(const std::string& attn) {
        const auto layer = static_cast<size_t>(layer_);
        const int64_t d = m_.d_model;
        const int64_t own_keys = m_.wiring.own_key_heads[layer];
        const int64_t own_values = m_.wiring.own_value_heads[layer];
        const LayerChoices choices = m_.layer(layer_);
        if (choices.query == QueryMap::kLinear || choices.query == QueryMap::kResidual)
            add_projection(attn + "q", {d, m_.n_head * m_.d_head}, ParameterRole::kQuery);
        if (choices.query == QueryMap::kNonlinear)
            add_nonlinear(attn + "nq.", m_.nq_rank, ParameterRole::kQuery);
        if (choices.key == Projection::kLinear && own_keys > 0)
            add_projection(attn + "k", {d, own_keys * m_.d_head}, ParameterRole::kKey);
        if (choices.value == ValueMap::kLinear && own_values > 0)
            add_projection(attn + "v", {d, own_values * m_.d_head}, ParameterRole::kValue);
        if (choices.value == ValueMap::kNonlinear && own_values > 0)
            add_nonlinear(attn + "nv.", m_.nv_rank, ParameterRole::kValue);
        if (m_.qk_norm) {
            add(attn + "q_norm.weight", {m_.d_head}, ParameterRole::kNorm, 0);
            add(attn + "k_norm.weight", {m_.d_head}, ParameterRole::kNorm, 0);
        }
        if (has_lambda()) add(attn + "lambda", {1}, ParameterRole::kMixing, 0, kInitialLambda);
        if (choices.out_proj == Projection::kLinear)
            add_projection(attn + "o", {m_.n_head * m_.d_head, d}, ParameterRole::kOutput,
                           residual_std_);
    }

    /// A mixture chosen by its name has one in every layer but the first, also where SkipVk does
    /// not mix yet; a table of the user's where it names it.
    bool has_lambda() const {
        const WiringChoice& choice = m_.wiring_choice;
        const bool mixes =
            choice.value_source == "res" || (choice.value_source == "skip" && choice.skip_res);
        if (!m_.custom_wiring && mixes && choice.res_lambda_learned) return layer_ > 0;
        return learns_lambda(m_.wiring, layer_);
    }

    void add_nonlinear(const std::string& name, int64_t rank, ParameterRole role) {
        add(name + "norm.weight", {m_.d_model}, ParameterRole::kNorm, 0);
        add(name + "up.weight", {m_.d_model, rank}, role, init_std_);
        add(name + "down.weight", {rank, m_.d_model}, role, init_std_);
        add(name + "ln.weight", {m_.d_model}, ParameterRole::kNorm, 0);
    }

    void add_latent_attention(const std::string& attn, const MlaConfig& mla) {
        const int64_t d = m_.d_model, n = m_.n_head;
        const int64_t own = own_latent_width(m_.wiring_choice, layer_, mla.d_c);
        const auto matrix = [&](const char* name, int64_t rows, int64_t columns,
                                ParameterRole role) {
            if (columns > 0) add(attn + name + ".weight", {rows, columns}, role, init_std_);
        };
        add_projection(attn + "q", {d, n * (mla.d_nope + mla.d_r)}, ParameterRole::kQuery);
        matrix("kv_down", d, own, ParameterRole::kLatent);
        matrix("k_rope", d, mla.d_r, ParameterRole::kLatent);
        matrix("k_up", mla.d_c, n * mla.d_nope, ParameterRole::kKey);
        matrix("v_up", mla.d_c, n * mla.d_v, ParameterRole::kValue);
        if (m_.out_proj.at(layer_) == Projection::kLinear)
            add_projection(attn + "o", {n * mla.d_v, d}, ParameterRole::kOutput, residual_std_);
    }

    void add_norm(const std::string& name, NormKind kind) {
        if (kind == NormKind::kNone) return;
        add(name + ".weight", {m_.d_model}, ParameterRole::kNorm, 0);
        const bool shifted = kind == NormKind::kDyT || (kind == NormKind::kLayerNorm && m_.bias);
        if (shifted) add(name + ".bias", {m_.d_model}, ParameterRole::kNorm, 0, 0.0);
        if (kind == NormKind::kDyT) add(name + ".alpha", {1}, ParameterRole::kNorm, 0, 0.5);
    }

    /// DenseFormer: after block j (counted from 1), over the streams m = j, j - dilation, ... >= 0
    /// in increasing order. Only the block's own output counts at first.
    void add_averages() {
        for (int64_t j = m_.dwa_period; j <= m_.n_layer; j += m_.dwa_period) {
            const int64_t streams = j / m_.dwa_dilation + 1;
            add(fmt::format("dwa.{}.weight", j - 1), {streams}, ParameterRole::kAveraging, 0);
            specs_.back().init_values.assign(static_cast<size_t>(streams), 0.0);
            specs_.back().init_values.back() = 1.0;
        }
    }

    void add(std::string name, Shape shape, ParameterRole role, double init_std,
             double init_value = 1.0) {
        specs_.push_back(
            {std::move(name), std::move(shape), role, layer_, init_std, init_value, {}});
    }

    const ModelConfig& m_;
    double init_std_, residual_std_;
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
        case ParameterRole::kLatent:
            return "latent";
        case ParameterRole::kOutput:
            return "attention output";
        case ParameterRole::kMlp:
            return "mlp";
        case ParameterRole::kMixing:
            return "mixing";
        case ParameterRole::kAveraging:
            return "averaging";
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
