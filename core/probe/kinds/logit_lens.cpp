#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/probe/lens_probe.h"
#include "core/probe/probe_kind.h"

namespace headroom::kinds::logit_lens {
namespace {

ProbeTaps taps(const ModelConfig&) {
    ProbeTaps taps;
    taps.streams = true;
    return taps;
}

/// Of what the last column of the table is.
std::string last_place(const Job& job) {
    if (job.model.reads_images()) return "of the first picture";
    return job.train.is_masked() ? "in the last place" : "after the last token";
}

using TokenText = std::function<std::string(int32_t)>;

/// What the likeliest token of the last row of the first sequence reads as.
std::string last_guess(const LensNumbers& lens, int64_t layer, const TokenText& text) {
    const Shape& shape = lens.top_probs.shape;
    const auto at = static_cast<size_t>(((layer + 1) * shape[1] - 1) * shape[2]);
    const int32_t id = lens.top_ids[at];
    return fmt::format("{} ({:.3f})",
                       text ? dump_text(nlohmann::json(text(id))) : std::to_string(id),
                       lens.top_probs.values[at]);
}

std::string table(const LensNumbers& lens, const std::string& place, const TokenText& text) {
    std::string lines =
        fmt::format("{:>6} {:>10} {:>10} {:>9}  {}\n", "layer", "loss", "KL", "accuracy", place);
    for (int64_t l = 0; l < lens.loss.shape[0]; ++l)
        lines += fmt::format("{:>6} {:>10.4f} {:>10.4f} {:>9.4f}  {}\n",
                             l == 0 ? "embed" : std::to_string(l - 1), lens.loss.at({l}),
                             lens.kl.at({l}), lens.accuracy.at({l}), last_guess(lens, l, text));
    return lines;
}

ProbeFindings measure(const ProbeTask& task) {
    LensSum sum(task.weights);
    run_asked_passes(
        task, taps(task.weights.config()),
        [&](const ProbePass& pass, std::span<const int32_t> targets) { sum.add(pass, targets); });
    const auto lens = std::make_shared<const LensNumbers>(sum.mean());
    return {[lens](ArrayFileWriter& file) { write_lens(file, *lens); },
            [lens, place = last_place(task.job), text = task.token_text] {
                return table(*lens, place, text);
            },
            [lens](nlohmann::ordered_json& document) {
                document["loss"] = to_json(lens->loss);
                document["kl"] = to_json(lens->kl);
                document["accuracy"] = to_json(lens->accuracy);
            }};
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "logit_lens",
             .old_kind = "lens",
             .help = "The logit lens: every layer's output through the model's own norm and "
                     "classifier",
             .batch_size = 4,
             .of_images = true},
            taps,
            measure};
}

}  // namespace headroom::kinds::logit_lens
