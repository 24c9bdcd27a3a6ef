#include "core/model/residual_builder.h"

#include <fmt/format.h>

#include "core/ops/column_mix.h"
#include "core/ops/hyper_weights.h"

namespace headroom {
namespace {

/// Manifold-constrained hyper-connections start near the free ones: sigmoid(3) = 0.95 in place of
/// 1, and a row of the mixing matrix gives e^-5 of its weight to each other stream.
constexpr double kHyperLogit = 3.0, kHyperMixLogit = 5.0;

/// Initial values: Zhu et al. 2024, arXiv:2409.19606, section 2.3: branch m reads stream
/// m mod n, writes to all, and the streams do not mix.
void add_hyper_connection(ParameterList& list, const std::string& name, int branch) {
    const int64_t n = list.model().n_stream;
    const bool free = list.model().hyper == HyperKind::kHc;
    std::vector<double> read(static_cast<size_t>(n), free ? 0.0 : -kHyperLogit);
    read[static_cast<size_t>(branch % n)] = free ? 1.0 : kHyperLogit;
    std::vector<double> mix(static_cast<size_t>(n * n), 0.0);
    for (int64_t i = 0; i < n; ++i)
        mix[static_cast<size_t>(i * (n + 1))] = free ? 1.0 : kHyperMixLogit;
    list.add_values(name + "a", {n}, ParameterRole::kMixing, std::move(read));
    list.add(name + "b", {n}, ParameterRole::kMixing, 0, free ? 1.0 : 0.0);
    list.add_values(name + "r", {n, n}, ParameterRole::kMixing, std::move(mix));
}

/// x <- x + F(x), or F(x) without the skip. He et al. 2015, arXiv:1512.03385.
class PlainResidual : public ResidualBuilder {
  public:
    explicit PlainResidual(ForwardEmitter& emit) : emit_(emit) {}

    void begin(ValueId embedding) override { x_ = embedding; }
    void add_branch(int, const std::string&, bool skip, const std::string& name,
                    const Branch& branch) override {
        const ValueId change = branch(x_);
        x_ = skip ? emit_.add(x_, change, name) : change;
    }
    ValueId stream() const override { return x_; }
    ValueId end() override { return x_; }

  protected:
    ForwardEmitter& emit_;
    ValueId x_ = kNoValue;
};

/// DenseFormer, Pagliardini et al. 2024, arXiv:2402.02622, section 3: after block j (counted from
/// 1) the stream is a learned average of the raw outputs X_m of the blocks m = j, j - dilation,
/// ..., X_0 being the embedding.
class DenseResidual : public PlainResidual {
  public:
    using PlainResidual::PlainResidual;

    void begin(ValueId embedding) override {
        PlainResidual::begin(embedding);
        outputs_.push_back(embedding);
    }
    void end_layer(int layer) override {
        outputs_.push_back(x_);
        const ModelConfig& model = emit_.model();
        const int64_t j = layer + 1;
        if (j % model.dwa_period != 0) return;
        MixPiece average{model.d_model, {}};
        std::vector<ValueId> inputs;
        for (int64_t m = j % model.dwa_dilation; m <= j; m += model.dwa_dilation) {
            const int place = static_cast<int>(inputs.size());
            average.terms.push_back({place, 0, 0.0, 1.0, 0, place});
            inputs.push_back(outputs_[static_cast<size_t>(m)]);
        }
        ColumnMixOptions mix{inputs.size(), {std::move(average)}};
        inputs.push_back(emit_.weights().master(fmt::format("dwa.{}.weight", layer)));
        x_ = emit_.apply1(std::make_shared<ColumnMix>(std::move(mix)), std::move(inputs),
                          emit_.layer_name(layer) + "average");
    }

  private:
    std::vector<ValueId> outputs_;
};

/// Hyper-connections, static form: Zhu et al. 2024, arXiv:2409.19606, section 2. The n streams
/// stand side by side in one tensor (B, T, n d_model). A branch reads h = a S and writes
/// S <- R S + b F(h). Manifold-constrained (Xie et al. 2025, arXiv:2512.24880): a = sigmoid(a~),
/// b = 2 sigmoid(b~), R = Sinkhorn(exp(R~)).
class HyperResidual : public ResidualBuilder {
  public:
    explicit HyperResidual(ForwardEmitter& emit)
        : emit_(emit), n_(emit.model().n_stream), width_(emit.model().d_model) {}

    void begin(ValueId embedding) override {
        std::vector<MixPiece> copies(static_cast<size_t>(n_), {width_, {{0, 0}}});
        streams_ = mix({1, std::move(copies)}, {embedding}, "streams");
    }

    void add_branch(int layer, const std::string& kind, bool, const std::string& name,
                    const Branch& branch) override {
        const Weights w = weights(layer, "hc_" + kind);
        const std::string hc = emit_.layer_name(layer) + "hc_" + kind;
        MixPiece read{width_, {}};
        for (int64_t i = 0; i < n_; ++i) read.terms.push_back({0, i * width_, 0.0, 1.0, 0, i});
        const ValueId change = branch(mix({1, {read}}, {streams_, w.read}, hc + ".in"));
        std::vector<MixPiece> written;
        for (int64_t i = 0; i < n_; ++i) {
            MixPiece stream{width_, {}};
            for (int64_t j = 0; j < n_; ++j)
                stream.terms.push_back({0, j * width_, 0.0, 1.0, 0, i * n_ + j});
            stream.terms.push_back({1, 0, 0.0, 1.0, 1, i});
            written.push_back(std::move(stream));
        }
        streams_ =
            mix({2, std::move(written)}, {streams_, change, w.mix, w.write}, name + ".streams");
    }

    ValueId stream() const override { return streams_; }
    ValueId end() override {
        MixPiece sum{width_, {}};
        for (int64_t i = 0; i < n_; ++i) sum.terms.push_back({0, i * width_});
        return mix({1, {std::move(sum)}}, {streams_}, "streams.sum");
    }

  private:
    struct Weights {
        ValueId read, write, mix;
    };

    ValueId mix(ColumnMixOptions options, std::vector<ValueId> inputs, const std::string& name) {
        return emit_.apply1(std::make_shared<ColumnMix>(std::move(options)), std::move(inputs),
                            name);
    }

    Weights weights(int layer, const std::string& branch) {
        const std::string stored = emit_.layer_weights(layer) + branch + ".";
        const Weights raw{emit_.weights().master(stored + "a"),
                          emit_.weights().master(stored + "b"),
                          emit_.weights().master(stored + "r")};
        if (emit_.model().hyper == HyperKind::kHc) return raw;
        const std::string name = emit_.layer_name(layer) + branch + ".";
        return {emit_.apply1(std::make_shared<ScaledSigmoid>(1.0), {raw.read}, name + "read"),
                emit_.apply1(std::make_shared<ScaledSigmoid>(2.0), {raw.write}, name + "write"),
                emit_.apply1(std::make_shared<Sinkhorn>(), {raw.mix}, name + "mix")};
    }

    ForwardEmitter& emit_;
    int64_t n_, width_;
    ValueId streams_ = kNoValue;
};

}  // namespace

/// The branches are attention and MLP in turn, or the one of a parallel block.
void ResidualBuilder::add_parameters(ParameterList& list, int layer) {
    if (list.model().hyper == HyperKind::kNone) return;
    const std::string h = fmt::format("h.{}.", layer);
    const bool serial = list.model().topology == Topology::kSerial;
    add_hyper_connection(list, h + "hc_attn.", serial ? 2 * layer : layer);
    if (serial) add_hyper_connection(list, h + "hc_mlp.", 2 * layer + 1);
}

/// DenseFormer: after block j (counted from 1), over the streams m = j, j - dilation, ... >= 0
/// in increasing order. Only the block's own output counts at first.
void ResidualBuilder::add_parameters(ParameterList& list) {
    const ModelConfig& m = list.model();
    for (int64_t j = m.dwa_period; m.dense && j <= m.n_layer; j += m.dwa_period) {
        std::vector<double> weights(static_cast<size_t>(j / m.dwa_dilation + 1), 0.0);
        weights.back() = 1.0;
        const auto streams = static_cast<int64_t>(weights.size());
        list.add_values(fmt::format("dwa.{}.weight", j - 1), {streams}, ParameterRole::kAveraging,
                        std::move(weights));
    }
}

std::unique_ptr<ResidualBuilder> make_residual_builder(ForwardEmitter& emit) {
    if (emit.model().hyper != HyperKind::kNone) return std::make_unique<HyperResidual>(emit);
    if (emit.model().dense) return std::make_unique<DenseResidual>(emit);
    return std::make_unique<PlainResidual>(emit);
}

}  // namespace headroom
