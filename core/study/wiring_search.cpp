#include "core/study/wiring_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/account/match.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/config/job_json.h"
#include "core/study/known_keys.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr int64_t kMostCandidates = 512;

int64_t whole_number(const json& section, const char* key, int64_t standard, int64_t least,
                     int64_t most) {
    if (!section.contains(key)) return standard;
    const json& value = section.at(key);
    const bool fits =
        value.is_number_integer() && value.get<int64_t>() >= least && value.get<int64_t>() <= most;
    if (!fits)
        throw UserError(fmt::format("search.{} = {} is out of range", key, shown(value)),
                        fmt::format("give a whole number from {} to {}", least, most));
    return value.get<int64_t>();
}

double survivors_of(const json& section) {
    if (!section.contains("survivors")) return WiringSearch{}.survivors;
    const json& value = section.at("survivors");
    if (!value.is_number() || !(value.get<double>() > 0) || !(value.get<double>() < 1))
        throw UserError(fmt::format("search.survivors = {} is no share", shown(value)),
                        "give a number between 0 and 1, such as 0.5");
    return value.get<double>();
}

/// The steps under "rungs", with train.steps behind them.
std::vector<int64_t> rungs_of(const json& section, const TrainConfig& train) {
    std::vector<int64_t> rungs;
    const json list = section.value("rungs", json::array());
    if (!list.is_array())
        throw UserError(fmt::format("search.rungs = {} is not a list", shown(list)),
                        "give steps, such as [100, 200]");
    for (const json& rung : list) {
        const int64_t last = rungs.empty() ? 0 : rungs.back();
        const bool fits = rung.is_number_integer() && rung.get<int64_t>() > last &&
                          rung.get<int64_t>() < train.steps;
        if (!fits)
            throw UserError(fmt::format("search.rungs = {} does not rise to train.steps = {}",
                                        shown(list), train.steps),
                            "give steps in rising order, each below train.steps");
        rungs.push_back(rung.get<int64_t>());
    }
    rungs.push_back(train.steps);
    return rungs;
}

std::string tables_of(const json& section) {
    const json tables = section.value("tables", json("both"));
    const std::vector<std::string> known{"keys", "values", "both"};
    for (const std::string& each : known)
        if (tables == each) return each;
    const std::string word = tables.is_string() ? tables.get<std::string>() : shown(tables);
    throw UserError(
        fmt::format("search.tables = {} is not known{}", shown(tables), suggestion(word, known)),
        "use keys, values or both");
}

void check_searchable(const Job& job) {
    if (job.model.mla)
        throw UserError("\"search\" does not go with model.mla",
                        "search the wiring of a model whose layers project key and value heads");
    if (job.model.n_layer < 2)
        throw UserError("\"search\" needs two layers, model.n_layer = 1 has nothing to share",
                        "give the model more layers");
    if (job.train.eval_every <= 0)
        throw UserError("\"search\" compares validation losses, but train.eval_every = 0",
                        "let the runs evaluate");
}

/// What a budget may count.
std::vector<std::string_view> budget_measures() {
    std::vector<std::string_view> names;
    for (const MatchMeasure measure : kMatchMeasures) names.push_back(name_of(measure));
    return names;
}

}  // namespace

void parse_budget(const json& budget, WiringSearch& search) {
    const std::vector<std::string_view> known = budget_measures();
    const std::string mend = fmt::format(
        "give one of {} with a share of the baseline's above 0 and at most 1, such as "
        "{{\"cache\": 0.5}}",
        fmt::join(known, ", "));
    if (!budget.is_object() || budget.size() != 1)
        throw UserError(fmt::format("search.budget = {} is no budget", shown(budget)), mend);
    const auto entry = budget.begin();
    const std::string& by = entry.key();
    const json& share = entry.value();
    if (std::find(known.begin(), known.end(), by) == known.end())
        throw UserError(fmt::format("search.budget: {} is not known", shown(json(by))), mend);
    if (!share.is_number() || !(share.get<double>() > 0) || !(share.get<double>() <= 1))
        throw UserError(fmt::format("search.budget: {} = {} is no share", by, shown(share)), mend);
    search.by = by;
    search.share = share.get<double>();
}

json budget_of_option(const std::string& text) {
    const size_t equals = text.find('=');
    const std::string by = equals == std::string::npos ? "cache" : text.substr(0, equals);
    const std::string share = equals == std::string::npos ? text : text.substr(equals + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), value);
    const bool number = error == std::errc() && end == share.data() + share.size();
    json budget = {{by, number ? json(value) : json(share)}};
    WiringSearch checked;
    parse_budget(budget, checked);
    return budget;
}

std::optional<WiringSearch> parse_search(const json& document) {
    if (!document.is_object() || !document.contains("search")) return std::nullopt;
    const json& section = document.at("search");
    check_keys(section, "search",
               {"seed", "budget", "candidates", "generations", "rungs", "survivors", "finalists",
                "tables"});
    WiringSearch search;
    search.budgeted = document.contains("budget");
    json common = document.value("job", json::object());
    search.job = parse_job(common, "job");
    check_searchable(search.job);
    for (const json& seed : document.value("seeds", json::array()))
        if (seed.is_number_integer()) search.seeds.push_back(seed.get<int64_t>());
    if (search.seeds.empty()) search.seeds = {search.job.seed};
    search.seed = whole_number(section, "seed", search.seeds.front(), 0, INT32_MAX);
    if (section.contains("budget")) parse_budget(section.at("budget"), search);
    search.candidates = whole_number(section, "candidates", search.candidates, 1, kMostCandidates);
    search.generations =
        whole_number(section, "generations", 1, 1, kMostCandidates / search.candidates);
    search.rungs = rungs_of(section, search.job.train);
    search.survivors = survivors_of(section);
    search.finalists = whole_number(section, "finalists", std::min<int64_t>(2, search.candidates),
                                    1, search.candidates * search.generations);
    search.tables = tables_of(section);
    return search;
}

std::optional<WiringSearch> load_search(const std::filesystem::path& study_dir) {
    const std::filesystem::path file = StudyFolder{study_dir}.plan();
    if (!std::filesystem::exists(file)) return std::nullopt;
    try {
        return parse_search(load_json(file));
    } catch (const UserError& error) {
        throw UserError(fmt::format("{}: {}", file.string(), error.what()));
    }
}

}  // namespace headroom
