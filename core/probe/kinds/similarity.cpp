#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_kind.h"
#include "core/probe/similarity_probe.h"

namespace headroom::kinds::similarity {
namespace {

/// Mean over pairs of different heads.
double mean_between_heads(const NumberArray& maps, int64_t layer) {
    const int64_t n = maps.shape[1];
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            if (i != j) sum += maps.at({layer, i, j});
    return sum / static_cast<double>(n * (n - 1));
}

std::string table(const SimilarityNumbers& numbers) {
    std::string text = fmt::format("{:>6} {:>14} {:>16} {:>15} {:>10}\n", "layer", "heads (output)",
                                   "tokens (stream)", "effective rank", "CKA to end");
    const NumberArray& heads = numbers.heads.at("output");
    const int64_t n_layer = heads.shape[0];
    for (int64_t l = 0; l <= n_layer; ++l)
        text +=
            fmt::format("{:>6} {:>14} {:>16.4f} {:>15.2f} {:>10.4f}\n",
                        l == 0 ? "embed" : std::to_string(l - 1),
                        l == 0 ? "" : fmt::format("{:.4f}", mean_between_heads(heads, l - 1)),
                        numbers.token_means.at("stream").at({l}),
                        numbers.effective_rank.at("stream").at({l}), numbers.cka.at({n_layer, l}));
    return text;
}

/// Token maps are left to the file.
void report(const SimilarityNumbers& numbers, nlohmann::ordered_json& document) {
    document["heads"] = to_json(numbers.heads);
    document["token_means"] = to_json(numbers.token_means);
    document["effective_rank"] = to_json(numbers.effective_rank);
    document["cka"] = to_json(numbers.cka);
    if (!numbers.cka_other.empty()) document["cka_other"] = to_json(numbers.cka_other);
}

/// CKA with the layers of other weights, on the same tokens.
NumberArray cka_with(const WeightSource& other, const ProbeTask& task, const ProbePass& pass) {
    if (task.images == nullptr) other.check_reads_tokens();
    other.check_length(task.tokens.seq_len);
    ProbeTaps streams;
    streams.streams = true;
    ProbePass other_pass(other.config(), pass.shape(), streams, task.device);
    other_pass.load(other);
    if (task.images == nullptr)
        other_pass.run(task.tokens.ids);
    else
        other_pass.run(*task.images);
    return cka_between(pass, other_pass);
}

/// All sequences in one pass, since effective ranks and CKA are those of all tokens together.
ProbeFindings measure(const ProbeTask& task) {
    ProbeTask all = task;
    all.pass_rows = task.tokens.batch_size;
    const std::string& name = task.options.get<std::string>("other");
    const std::shared_ptr<const WeightSource> other =
        name.empty() ? nullptr : task.open_weights(name);
    const auto numbers = std::make_shared<SimilarityNumbers>();
    run_passes(all, similarity_taps(task.weights.config()),
               [&](const ProbePass& pass, std::span<const int32_t>) {
                   *numbers = measure_similarity(pass);
                   if (other != nullptr) numbers->cka_other = cka_with(*other, task, pass);
               });
    return {[numbers, name](ArrayFileWriter& file) {
                write_similarity(file, *numbers);
                if (!name.empty()) file.attribute(kStreamCkaOther, "checkpoint", name);
            },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) { report(*numbers, document); }};
}

/// Of the last layer, as the figures show them unless told otherwise.
double last_head_similarity(const ArrayFile& file) {
    const std::string path = probe_path(kHeadSimilarity, "output");
    const NumberArray maps{file.type(path).shape, file.read_all<double>(path)};
    if (maps.shape.size() != 3 || maps.empty() || maps.shape[1] != maps.shape[2])
        throw UserError(fmt::format("{}: {} holds no square maps", file.path().string(), path),
                        "probe the run anew with headroom probe similarity");
    return mean_between_heads(maps, maps.shape[0] - 1);
}

double last_token_similarity(const ArrayFile& file) {
    const auto means = file.read_all<double>(token_mean_path("stream"));
    return means.empty() ? std::nan("") : means.back();
}

std::vector<ProbeScalar> scalars(const ProbeConfig&) {
    return {{{"head_similarity", "", "Mean cosine between the heads' outputs in the last layer"},
             last_head_similarity},
            {{"token_similarity", "", "Mean cosine between tokens in the stream after it"},
             last_token_similarity}};
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "similarity",
             .help = "How alike heads, tokens and layers are: cosines, effective rank, CKA",
             .batch_size = 4,
             .options = {{.name = "other",
                          .help = "Another checkpoint or run's folder: CKA with its layers as well",
                          .standard = std::string(),
                          .command_only = true}},
             .of_images = true},
            similarity_taps,
            measure,
            nullptr,
            scalars};
}

}  // namespace headroom::kinds::similarity
