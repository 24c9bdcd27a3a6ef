#include "app/study/claims_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/study/text_table.h"
#include "core/base/json_numbers.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

std::string number_text(const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string step_text(const ClaimStep& step) {
    std::string text = fmt::format("{} {} {}", step.left, step.ratio ? "/" : "-", step.right);
    text += fmt::format(" {} {:g}", sign_of(step.relation), step.bound);
    return step.within > 0 ? text + fmt::format(" within {:g}", step.within) : text;
}

std::string seeds_text(const StepAnswer& step) {
    if (step.seeds_needed) return std::to_string(*step.seeds_needed);
    return step.n > 1 && step.p && !step.diverged ? fmt::format("> {}", kMostSeeds) : "-";
}

ordered_json step_json(const StepAnswer& step) {
    const ClaimStep& asked = step.step;
    const auto& interval = step.interval;
    return {{"left", asked.left},
            {"right", asked.right},
            {"of", asked.ratio ? "ratio" : "difference"},
            {"relation", sign_of(asked.relation)},
            {"bound", asked.bound},
            {"within", asked.within > 0 ? ordered_json(asked.within) : ordered_json()},
            {"verdict", name_of(step.verdict)},
            {"n", step.n},
            {"estimate", number_or_null(step.estimate)},
            {"low", interval ? ordered_json(interval->low) : ordered_json()},
            {"high", interval ? ordered_json(interval->high) : ordered_json()},
            {"p", number_or_null(step.p)},
            {"p_holm", number_or_null(step.p_holm)},
            {"seeds_needed", number_or_null(step.seeds_needed)},
            {"notes", step.notes}};
}

ordered_json claim_json(const ClaimAnswer& answer) {
    const Claim& claim = answer.claim;
    ordered_json steps = ordered_json::array();
    for (const StepAnswer& step : answer.steps) steps.push_back(step_json(step));
    const bool open = answer.verdict == Verdict::kNotDecided;
    return {{"claim", claim.text},
            {"says", claim.says},
            {"source", claim.source},
            {"measure", claim.measure},
            {"at_tokens", number_or_null(claim.at_tokens)},
            {"pair", claim.by_seed ? "seed" : "batches"},
            {"verdict", name_of(answer.verdict)},
            {"n", answer.n()},
            {"more_seeds", open ? number_or_null(answer.more_seeds()) : ordered_json(0)},
            {"steps", steps}};
}

/// The sentence that a claim tests, its verdict and what to mind, below the table.
std::string remarks(const ClaimAnswer& answer) {
    std::string text = answer.claim.text + ": " + verdict_text(answer) + "\n";
    if (!answer.claim.says.empty()) text += "  " + answer.claim.says;
    if (!answer.claim.says.empty() && !answer.claim.source.empty())
        text += " (" + answer.claim.source + ")";
    if (!answer.claim.says.empty()) text += "\n";
    std::vector<std::string> said = conditions_of(answer.claim);
    for (const StepAnswer& step : answer.steps)
        for (const std::string& note : step.notes)
            if (std::find(said.begin(), said.end(), note) == said.end()) said.push_back(note);
    if (!said.empty()) text += fmt::format("  Note: {}\n", fmt::join(said, "; "));
    return text;
}

}  // namespace

std::vector<std::string> conditions_of(const Claim& claim) {
    std::vector<std::string> conditions;
    if (claim.by_seed)
        conditions.emplace_back("pairs agree in seed and data, not in what they were trained on");
    if (claim.at_tokens)
        conditions.push_back(fmt::format("{} at {:.0f} tokens, not at the end", claim.measure,
                                         static_cast<double>(*claim.at_tokens)));
    return conditions;
}

std::string estimate_text(const StepAnswer& step) {
    if (!step.estimate) return "-";
    const char* format = step.step.ratio ? "{:.4f}" : "{:+.4f}";
    const auto text = [&](double value) { return fmt::format(fmt::runtime(format), value); };
    if (!step.interval) return text(*step.estimate);
    return fmt::format("{} [{}, {}]", text(*step.estimate), text(step.interval->low),
                       text(step.interval->high));
}

std::string claims_table(const std::vector<ClaimAnswer>& answers) {
    std::vector<std::vector<std::string>> rows{
        {"CLAIM", "BY", "VERDICT", "N", "ESTIMATE [95 %]", "P", "P (HOLM)", "SEEDS NEEDED"}};
    std::string below;
    std::array<int, 3> counts{};
    for (const ClaimAnswer& answer : answers) {
        for (const StepAnswer& step : answer.steps)
            rows.push_back({step_text(step.step), answer.claim.measure, name_of(step.verdict),
                            std::to_string(step.n), estimate_text(step), number_text(step.p),
                            number_text(step.p_holm), seeds_text(step)});
        below += remarks(answer);
        ++counts[static_cast<size_t>(answer.verdict)];
    }
    return text_table(rows) + "\n" + below +
           fmt::format("\n{} held, {} did not hold, {} not decided\n", counts[0], counts[1],
                       counts[2]);
}

ordered_json claims_json(const std::vector<ClaimAnswer>& answers) {
    ordered_json claims = ordered_json::array();
    std::array<int, 3> counts{};
    for (const ClaimAnswer& answer : answers) {
        claims.push_back(claim_json(answer));
        ++counts[static_cast<size_t>(answer.verdict)];
    }
    return {{"claims", claims},
            {"held", counts[0]},
            {"did_not_hold", counts[1]},
            {"not_decided", counts[2]}};
}

}  // namespace headroom
