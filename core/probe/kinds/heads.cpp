#include <cmath>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/probe/heads_probe.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::heads {
namespace {

NumberArray matrix(const HeadScores& scores, size_t measure) {
    return {{scores.n_layer, scores.n_head}, scores.measures[measure]};
}

/// How much of each head's value other layers projected, [L, H]: 0 where it is its layer's own, 1
/// where it is reused, between where both are mixed, as the wiring's weights begin, or the latent
/// that it is made of is shared in part; NaN where there is no value.
NumberArray reused_values(const ModelConfig& model) {
    NumberArray shares = NumberArray::unknown({model.n_layer, model.n_head});
    for (int64_t layer = 0; layer < model.n_layer; ++layer)
        for (int64_t head = 0; head < model.n_head; ++head) {
            if (!model.wiring.latents.empty()) {
                const LatentSharing& latent = model.wiring.latents[static_cast<size_t>(layer)];
                shares.at({layer, head}) = static_cast<double>(latent.shared) /
                                           static_cast<double>(latent.own + latent.shared);
                continue;
            }
            const int64_t group = head * model.n_kv_head / model.n_head;
            double own = 0, other = 0;
            for (const HeadSource& source :
                 model.wiring.values[static_cast<size_t>(layer)][static_cast<size_t>(group)])
                (source.layer == layer ? own : other) += std::abs(source.weight);
            if (own + other > 0) shares.at({layer, head}) = other / (own + other);
        }
    return shares;
}

/// Means over the heads whose value is mostly their layer's own, and over the others: who copies
/// and who does induction (Wu et al., SkipV1Former, appendix C.2). "" where all are alike.
std::string means_by_value(const HeadScores& scores, const NumberArray& reused) {
    std::string text;
    for (const bool others : {false, true}) {
        std::vector<double> sums(kHeadMeasures, 0.0);
        int64_t count = 0;
        for (size_t i = 0; i < reused.values.size(); ++i) {
            if (std::isnan(reused.values[i]) || (reused.values[i] > 0.5) != others) continue;
            ++count;
            for (size_t m = 0; m < kHeadMeasures; ++m) sums[m] += scores.measures[m][i];
        }
        if (count == 0) return "";
        text += fmt::format("{:<11}", others ? "reused" : "own value");
        for (const double sum : sums)
            text += fmt::format(" {:>15.4f}", sum / static_cast<double>(count));
        text += fmt::format("  mean of {} heads\n", count);
    }
    return text;
}

std::string table(const HeadScores& scores, const NumberArray& reused) {
    std::string text = fmt::format("{:>5} {:>5}", "layer", "head");
    for (size_t m = 0; m < kHeadMeasures; ++m)
        text += fmt::format(" {:>15}", name_of(static_cast<HeadMeasure>(m)));
    text += "\n";
    for (int64_t layer = 0; layer < scores.n_layer; ++layer)
        for (int64_t head = 0; head < scores.n_head; ++head) {
            text += fmt::format("{:>5} {:>5}", layer, head);
            for (size_t m = 0; m < kHeadMeasures; ++m)
                text +=
                    fmt::format(" {:>15.4f}", scores.at(static_cast<HeadMeasure>(m), layer, head));
            text += reused.at({layer, head}) > 0.5 ? "  reused value\n" : "\n";
        }
    return text + means_by_value(scores, reused);
}

ProbeFindings measure(const ProbeTask& task) {
    const ModelConfig& model = task.weights.config();
    const auto length = static_cast<size_t>(task.tokens.seq_len);
    HeadScoreSum sum(model.n_layer, model.n_head, task.tokens.seq_len);
    run_passes(task, ProbeTaps::all_attention(model),
               [&](const ProbePass& pass, std::span<const int32_t> tokens) {
                   for (int64_t b = 0; b < task.pass_rows; ++b)
                       sum.add(pass, b, tokens.subspan(static_cast<size_t>(b) * length, length));
               });
    const auto scores = std::make_shared<const HeadScores>(sum.mean());
    const NumberArray reused = reused_values(model);
    return {[scores, reused](ArrayFileWriter& file) {
                write_head_scores(file, *scores);
                file.add("/heads/value_reused", reused.shape, reused.values);
            },
            [scores, reused] { return table(*scores, reused); },
            [scores, reused](nlohmann::ordered_json& document) {
                document["heads"]["value_reused"] = to_json(reused);
                for (size_t m = 0; m < kHeadMeasures; ++m)
                    document["heads"][std::string(name_of(static_cast<HeadMeasure>(m)))] =
                        to_json(matrix(*scores, m));
            }};
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "heads",
             .help = "Entropy, sink, previous-token, duplicate-token and induction scores of each "
                     "head",
             .batch_size = 8,
             .of_images = true},
            ProbeTaps::all_attention,
            measure};
}

}  // namespace headroom::kinds::heads
