#include "core/log/interop/panel_export.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

using Heads = std::vector<std::string>;

constexpr std::string_view kBetween = " - ", kMin = "__MIN", kMax = "__MAX";

bool holds(const Heads& heads, std::string_view head) {
    return std::find(heads.begin(), heads.end(), head) != heads.end();
}

/// "RUN - METRIC" in two.
struct CurveHead {
    std::string run, metric;
};

std::optional<CurveHead> curve_of(const std::string& head) {
    const size_t at = head.rfind(kBetween);
    if (at == std::string::npos || at == 0) return std::nullopt;
    return CurveHead{head.substr(0, at), head.substr(at + kBetween.size())};
}

/// Of a curve's values, its __MIN or its __MAX.
bool is_bound(const Heads& heads, std::string_view head) {
    for (const std::string_view bound : {kMin, kMax})
        if (head.ends_with(bound) && holds(heads, head.substr(0, head.size() - bound.size())))
            return true;
    return false;
}

bool is_panel(const Heads& heads) {
    return std::any_of(heads.begin(), heads.end(), [&](const std::string& head) {
        return curve_of(head) && holds(heads, head + std::string(kMin)) &&
               holds(heads, head + std::string(kMax));
    });
}

/// For messages.
std::string list_of_runs(const Heads& runs) {
    constexpr size_t kMost = 12;
    Heads shown;
    for (size_t i = 0; i < std::min(runs.size(), kMost); ++i)
        shown.push_back(printable(runs[i], 60));
    if (runs.size() > kMost) shown.push_back(fmt::format("{} more", runs.size() - kMost));
    return fmt::format("{}", fmt::join(shown, ", "));
}

/// The one that is read.
std::string chosen_run(const Heads& runs, const std::string& asked) {
    if (asked.empty() && runs.size() == 1) return runs.front();
    if (asked.empty())
        throw UserError("the table holds several runs: " + list_of_runs(runs),
                        "name one with --source-run");
    if (!holds(runs, asked))
        throw UserError(
            fmt::format("the table has no run {}{}", printable(asked, 60), suggestion(asked, runs)),
            "name one of its runs: " + list_of_runs(runs));
    return asked;
}

}  // namespace

std::vector<std::string> runs_of_panel(const std::vector<std::string>& heads) {
    std::vector<std::string> runs;
    if (!is_panel(heads)) return runs;
    for (const std::string& head : heads)
        if (const auto curve = curve_of(head); curve && !holds(runs, curve->run))
            runs.push_back(curve->run);
    return runs;
}

std::vector<std::string> heads_of_run(const std::vector<std::string>& heads, const std::string& run,
                                      const std::vector<std::string>& asked) {
    const bool whole = std::any_of(asked.begin(), asked.end(), [&](const std::string& name) {
        return curve_of(name) && holds(heads, name);
    });
    if (run.empty() && whole) return heads;
    const std::vector<std::string> runs = runs_of_panel(heads);
    if (runs.empty() && run.empty()) return heads;
    if (runs.empty())
        throw UserError("only a table that Weights & Biases exported of a panel holds several runs",
                        "leave --source-run out");
    const std::string wanted = chosen_run(runs, run);
    std::vector<std::string> own;
    for (const std::string& head : heads) {
        const auto curve = curve_of(head);
        const bool is_own = !curve || (curve->run == wanted && !is_bound(heads, head));
        std::string name = !is_own ? "" : curve ? curve->metric : head;
        if (!name.empty() && curve && holds(own, name))
            throw UserError(fmt::format("the table has two runs {}", printable(wanted, 60)),
                            "give one of them another name, and export the panel again");
        own.push_back(std::move(name));
    }
    return own;
}

}  // namespace headroom
