#include "core/study/measure.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"
#include "core/log/named_series.h"

namespace headroom {
namespace {

void require_series(const std::string& name) {
    const std::vector<std::string> known = series_of_every_log();
    if (name.starts_with("scalars/") || std::find(known.begin(), known.end(), name) != known.end())
        return;
    throw UserError(
        fmt::format("no log has a series {}{}", printable(name, 100), suggestion(name, known)),
        "headroom log dump RUN lists those of a run; scalars of its own begin with scalars/");
}

}  // namespace

Measure Measure::parse(const std::string& word) {
    const std::string text = measure_of_word(word);
    if (text == "final") return {};
    if (text == "best") return {Kind::kBest, 1, ""};
    if (text == "perplexity") return {Kind::kPerplexity, 1, ""};
    if (text.starts_with("last-")) {
        const std::string number = text.substr(5);
        const bool digits = !number.empty() && number.size() < 6 &&
                            number.find_first_not_of("0123456789") == std::string::npos;
        if (const int last = digits ? std::stoi(number) : 0; last > 0)
            return {Kind::kMeanOfLast, last, ""};
    } else if (text.find('/') != std::string::npos) {
        require_series(text);
        return {Kind::kSeries, 1, text};
    }
    throw UserError(
        fmt::format("the measure {} is not known", printable(word, 100)),
        "give val.loss, best, last-5, perplexity or a series of the log such as train/grad_norm");
}

std::string Measure::name() const {
    switch (kind) {
        case Kind::kFinal:
            return "final";
        case Kind::kBest:
            return "best";
        case Kind::kMeanOfLast:
            return fmt::format("last-{}", last);
        case Kind::kPerplexity:
            return "perplexity";
        case Kind::kSeries:
            break;
    }
    return series;
}

bool Measure::more_is_better() const {
    return kind == Kind::kSeries && headroom::more_is_better(series);
}

std::span<const ExactMeasure> exact_measures() {
    static constexpr std::array kExact{
        ExactMeasure{"params", "Parameters"},
        ExactMeasure{"params_active", "Active parameters"},
        ExactMeasure{"kv_bytes_per_token", "Cache bytes per token"},
        ExactMeasure{"flops_per_token", "FLOPs per token"},
    };
    return kExact;
}

const ExactMeasure* find_exact_measure(std::string_view name) {
    const auto exact = exact_measures();
    const auto found = std::find_if(exact.begin(), exact.end(),
                                    [&](const ExactMeasure& each) { return each.name == name; });
    return found == exact.end() ? nullptr : &*found;
}

bool is_exact_measure(const std::string& measure) {
    return find_exact_measure(measure) != nullptr;
}

void require_measure(const std::string& measure, const std::string& place) {
    if (is_exact_measure(measure)) return;
    try {
        Measure::parse(measure);
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", place, error.what()));
    }
}

std::string measure_of_word(const std::string& word) {
    if (word == "val.loss") return "final";
    return word.starts_with("val.") ? word.substr(4) : word;  // val.best, val.last-5
}

}  // namespace headroom
