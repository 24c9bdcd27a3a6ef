#include "core/account/match_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

using nlohmann::json;

template <class T, size_t n>
T parse_word(const std::array<T, n>& all, std::string_view text, std::string_view option) {
    std::vector<std::string> known;
    for (const T each : all) {
        if (name_of(each) == text) return each;
        known.emplace_back(name_of(each));
    }
    throw UserError(fmt::format("{} {} is not known{}", option, text, suggestion(text, known)));
}

std::string leaves(const MatchPoint& point, MatchMeasure measure) {
    return fmt::format("{} leaves {}", point.value, change_text(point.count(measure)));
}

std::string others_text(const MatchAttempt& attempt, const MatchPoint& point,
                        MatchMeasure measure) {
    std::vector<std::string> equal, unequal;
    for (const MatchMeasure other : kMatchMeasures) {
        if (other == measure) continue;
        if (point.count(other).difference() == 0) {
            equal.emplace_back(text_of(other));
            continue;
        }
        const bool depends = attempt.depends[static_cast<size_t>(other)];
        unequal.push_back(fmt::format(
            "{} {}{}", text_of(other), change_text(point.count(other)),
            depends ? "" : fmt::format(", which do not depend on {}", name_of(attempt.key))));
    }
    std::string text;
    if (!equal.empty()) text += fmt::format("; equal too: {}", fmt::join(equal, ", "));
    if (!unequal.empty()) text += fmt::format("; not equal: {}", fmt::join(unequal, ", "));
    return text;
}

json point_to_json(const MatchPoint& point, MatchMeasure measure) {
    json set = json::array(), counts = json::object();
    for (const auto& [key, value] : point.settings) set.push_back(key + "=" + value);
    for (const MatchMeasure m : kMatchMeasures) {
        const CountPair& pair = point.count(m);
        counts[std::string(name_of(m))] = {
            {"model", pair.model}, {"baseline", pair.baseline}, {"difference", pair.difference()}};
    }
    return {{"value", point.value},
            {"difference", point.count(measure).difference()},
            {"set", std::move(set)},
            {"counts", std::move(counts)}};
}

json attempt_to_json(const MatchAttempt& attempt, MatchMeasure measure) {
    const auto point = [&](const std::optional<MatchPoint>& p) {
        return p ? point_to_json(*p, measure) : json();
    };
    return {{"vary", std::string(name_of(attempt.key))},
            {"exact", point(attempt.exact)},
            {"below", point(attempt.below)},
            {"above", point(attempt.above)},
            {"refused", attempt.refused.empty() ? json() : json(attempt.refused)},
            {"text", attempt_text(attempt, measure)}};
}

}  // namespace

std::string_view name_of(MatchMeasure measure) {
    constexpr std::array<std::string_view, 4> names{"params", "non-embedding", "flops", "cache"};
    return names[static_cast<size_t>(measure)];
}

std::string_view text_of(MatchMeasure measure) {
    constexpr std::array<std::string_view, 4> texts{"parameters", "non-embedding parameters",
                                                    "training FLOPs per token",
                                                    "cache bytes per token"};
    return texts[static_cast<size_t>(measure)];
}

std::string_view name_of(MatchKey key) {
    constexpr std::array<std::string_view, 5> names{"d_ff", "d_model", "n_layer", "n_head",
                                                    "n_kv_head"};
    return names[static_cast<size_t>(key)];
}

MatchMeasure parse_match_measure(std::string_view text) {
    return parse_word(kMatchMeasures, text, "--by");
}

MatchKey parse_match_key(std::string_view text) {
    return parse_word(kMatchKeys, text, "--vary");
}

std::string does_not_depend_text(MatchMeasure measure, MatchKey key, const CountPair& counts) {
    return fmt::format("{} do not depend on {}: they are {} against {} of the baseline",
                       text_of(measure), name_of(key), grouped_digits(counts.model),
                       grouped_digits(counts.baseline));
}

std::string attempt_text(const MatchAttempt& attempt, MatchMeasure measure) {
    const std::string_view key = name_of(attempt.key), what = text_of(measure);
    if (!attempt.refused.empty()) return attempt.refused;
    if (attempt.exact)
        return fmt::format("{} = {} makes the {} equal: {}", key, attempt.exact->value, what,
                           grouped_digits(attempt.exact->count(measure).model));
    if (attempt.below && attempt.above)
        return fmt::format("no {} makes the {} equal: {}, {}", key, what,
                           leaves(*attempt.below, measure), leaves(*attempt.above, measure));
    const MatchPoint* best = attempt.best(measure);
    CHECK(best != nullptr, "an attempt that was not refused has a point");
    return fmt::format("no {} makes the {} equal: even {}", key, what, leaves(*best, measure));
}

std::string match_sentence(const MatchResult& result) {
    const MatchAttempt& attempt = result.best_attempt();
    const MatchPoint* point = result.best_point();
    if (point == nullptr) {
        if (result.attempts.size() == 1) return attempt_text(attempt, result.measure);
        return fmt::format("no size changes the {} of this model", text_of(result.measure));
    }
    std::string text = attempt_text(attempt, result.measure);
    if (result.start.difference() == 0)
        text = fmt::format("the {} are equal already: {}", text_of(result.measure),
                           grouped_digits(result.start.model));
    else if (!attempt.exact && result.attempts.size() > 1)
        text = fmt::format("no size makes the {} equal; nearest is {} = {}, which leaves {}",
                           text_of(result.measure), name_of(attempt.key), point->value,
                           change_text(point->count(result.measure)));
    return text + others_text(attempt, *point, result.measure);
}

nlohmann::json to_json(const MatchResult& result) {
    json attempts = json::array(), best;
    for (const MatchAttempt& attempt : result.attempts)
        attempts.push_back(attempt_to_json(attempt, result.measure));
    if (const MatchPoint* point = result.best_point()) {
        best = point_to_json(*point, result.measure);
        best["vary"] = std::string(name_of(result.best_attempt().key));
        best["exact"] = result.best_attempt().exact.has_value();
    }
    return {{"by", std::string(name_of(result.measure))},
            {"target", result.start.baseline},
            {"before", result.start.model},
            {"best", std::move(best)},
            {"attempts", std::move(attempts)},
            {"sentence", result.sentence}};
}

}  // namespace headroom
