#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/probe/heads_probe.h"
#include "core/probe/probe_kind.h"

namespace headroom {
namespace {

NumberArray matrix(const HeadScores& scores, size_t measure) {
    return {{scores.n_layer, scores.n_head}, scores.measures[measure]};
}

std::string table(const HeadScores& scores) {
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
            text += "\n";
        }
    return text;
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
    return {[scores](ArrayFileWriter& file) { write_head_scores(file, *scores); },
            [scores] { return table(*scores); },
            [scores](nlohmann::ordered_json& document) {
                for (size_t m = 0; m < kHeadMeasures; ++m)
                    document["heads"][std::string(name_of(static_cast<HeadMeasure>(m)))] =
                        to_json(matrix(*scores, m));
            }};
}

}  // namespace

ProbeKind heads_probe() {
    return {{.kind = "heads",
             .help = "Entropy, sink, previous-token, duplicate-token and induction scores of each "
                     "head",
             .batch_size = 8},
            ProbeTaps::all_attention,
            measure};
}

}  // namespace headroom
