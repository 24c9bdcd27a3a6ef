#include "panels/wiring_editor/wiring_counts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/base/number_format.h"

namespace headroom {

namespace {

constexpr DType kCacheType = DType::kBF16;

/// "−12.5 %", or "=".
std::string relative(const CountPair& count) {
    if (count.difference() == 0) return "=";
    if (count.baseline == 0) return with_minus_signs(fmt::format("{:+}", count.difference()));
    return with_minus_signs(fmt::format(
        "{:+.3g} %",
        100.0 * static_cast<double>(count.difference()) / static_cast<double>(count.baseline)));
}

}  // namespace

WiringCounts count_wiring(const Job& drawn, const Job& baseline) {
    ModelConfig model = drawn.model, other = baseline.model;
    const bool knows_words = model.vocab_size > 0;
    if (!knows_words) model.vocab_size = kByteVocabulary;
    if (other.vocab_size == 0) other.vocab_size = model.vocab_size;
    const ModelDifference difference =
        compare_models(model, other, {.cache_dtype = kCacheType, .seq_len = drawn.train.seq_len});
    WiringCounts counts;
    const auto add = [&](const char* name, const CountPair& count, std::string value) {
        counts.rows.push_back({name, count, std::move(value), relative(count)});
    };
    add("Parameters", difference.params_total, format_integer(difference.params_total.model));
    add("Training FLOPs per token", difference.flops_training,
        format_count(static_cast<double>(difference.flops_training.model)));
    add("Cache per token, bf16", difference.cache_bytes,
        fmt::format("{} B", format_integer(difference.cache_bytes.model)));
    for (const LayerDifference& layer : difference.layers) {
        const auto size = static_cast<int64_t>(size_of(kCacheType));
        counts.cache_by_layer.push_back(
            {layer.cache_numbers.model * size, layer.cache_numbers.baseline * size});
    }
    for (const WiringCount& row : counts.rows)
        counts.line += fmt::format("{}{}: {} ({})", counts.line.empty() ? "" : "   ", row.name,
                                   row.value, row.difference);
    if (!knows_words)
        counts.note = fmt::format("The data have not told the vocabulary yet: counted with {}.",
                                  kByteVocabulary);
    return counts;
}

std::string step_time_words(const Job& drawn, const Job& start, double flops_per_second) {
    if (drawn.model.vocab_size <= 0 || start.model.vocab_size <= 0)
        return "Time of a step is told once the data are known.";
    if (!(flops_per_second > 0)) return "Time of a step is told once a run of this study trained.";
    const auto words = [&](const Job& job) {
        const double flops =
            static_cast<double>(count_flops(job.model, drawn.train.seq_len).training()) *
            static_cast<double>(drawn.train.batch_size * drawn.train.grad_accum *
                                drawn.train.seq_len);
        const double seconds = flops / flops_per_second;
        return seconds < 1 ? fmt::format("{:.3g} ms", 1000 * seconds)
                           : fmt::format("{:.3g} s", seconds);
    };
    return fmt::format("Step: about {} at this study's rate ({} as it started)", words(drawn),
                       words(start));
}

Job unshared(const Job& job) {
    Job own = job;
    own.model.custom_wiring = false;
    own.model.wiring_choice.value_source = own.model.wiring_choice.key_source = "own";
    resolve_wiring(own.model);
    return own;
}

std::string matched_control(const Job& drawn, const Job& baseline, MatchMeasure measure) {
    try {
        nlohmann::json document = to_json(baseline);
        const int64_t words = drawn.model.vocab_size > 0 ? drawn.model.vocab_size : kByteVocabulary;
        document["model"]["vocab_size"] = words;
        ModelConfig target = drawn.model;
        target.vocab_size = words;
        const MatchResult result = match_baseline(
            document, target,
            {.measure = measure, .vary = MatchKey::kDff, .seq_len = drawn.train.seq_len});
        const MatchPoint* point = result.best_point();
        if (point == nullptr) return result.best_attempt().refused;
        const CountPair& count = point->count(measure);
        return fmt::format("d_ff = {} makes {} {}", point->value, text_of(measure),
                           count.difference() == 0
                               ? std::string("equal")
                               : "differ by " + with_minus_signs(change_text(count)));
    } catch (const UserError& error) {
        return error.what();
    }
}

}  // namespace headroom
