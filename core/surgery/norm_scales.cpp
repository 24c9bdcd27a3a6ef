#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/probe/probe_pass.h"
#include "core/surgery/norm_surgery.h"

namespace headroom {
namespace {

/// The slope of norm(x) / g along x, or along x minus its mean.
double slope_at(std::span<const double> x, NormKind kind, double eps, double alpha) {
    const auto n = static_cast<double>(x.size());
    const double mean =
        kind == NormKind::kLayerNorm ? std::accumulate(x.begin(), x.end(), 0.0) / n : 0;
    double square = 0, along = 0;
    for (const double value : x) {
        square += (value - mean) * (value - mean);
        if (kind == NormKind::kDyT) along += value * std::tanh(alpha * value);
    }
    if (kind == NormKind::kDyT) return square > 0 ? along / square : alpha;
    return 1 / std::sqrt(square / n + eps);
}

}  // namespace

std::map<std::string, double> measure_norm_scales(const WeightSource& source,
                                                  std::span<const int32_t> tokens, int64_t seq_len,
                                                  Device& device) {
    const ModelConfig& model = source.config();
    ProbeTaps taps{.streams = true};
    const auto has_middle = [&](int layer) {
        return model.norm.at(layer) != NormKind::kNone && model.topology == Topology::kSerial;
    };
    const auto middle = [&](int layer) {
        const LayerChoices choices = model.layer(layer);
        const bool output = choices.out_proj == Projection::kLinear;
        return fmt::format("h.{}.{}", layer,
                           choices.skip_attn ? "mid"
                           : output          ? "attn.out"
                                             : "attn.heads");
    };
    for (int layer = 0; layer < model.n_layer; ++layer)
        if (has_middle(layer)) taps.names.insert(middle(layer));
    ProbePass pass(model, {1, seq_len, DType::kF32}, taps, device);
    pass.load(source);
    std::map<std::string, double> sums;
    std::map<std::string, int64_t> counts;
    const auto add = [&](const std::string& norm, NormKind kind, const TokenMatrix& rows) {
        const double alpha =
            kind == NormKind::kDyT ? source.read<double>(norm + ".alpha").front() : 0;
        for (int64_t i = 0; i < rows.rows; ++i)
            sums[norm] += slope_at(rows.row(i), kind, model.norm_eps, alpha);
        counts[norm] += rows.rows;
    };
    for (size_t first = 0; first < tokens.size(); first += static_cast<size_t>(seq_len)) {
        pass.run(tokens.subspan(first, static_cast<size_t>(seq_len)));
        for (int layer = 0; layer < model.n_layer; ++layer) {
            const NormKind kind = model.norm.at(layer);
            if (kind == NormKind::kNone) continue;
            const std::string h = fmt::format("h.{}.", model.share_layers ? 0 : layer);
            const TokenMatrix input = pass.stream(layer - 1, 0);
            add(h + "ln_1", kind, input);
            if (model.has_mlp_norm())
                add(h + "ln_2", kind, has_middle(layer) ? pass.read(middle(layer), 0) : input);
        }
        if (model.norm_f != NormKind::kNone)
            add("ln_f", model.norm_f, pass.stream(static_cast<int>(model.n_layer) - 1, 0));
    }
    for (auto& [norm, sum] : sums) sum /= static_cast<double>(counts[norm]);
    return sums;
}

}  // namespace headroom
