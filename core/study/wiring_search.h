#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"

namespace headroom {

/// "search" of study.json: a search for wirings that lose least within a budget, by successive
/// halving (Jamieson & Talwalkar 2016, arXiv:1502.07943): all candidates are trained to the first
/// rung, the best of them to the next, and so on to train.steps. core/study/README.md documents
/// the keys, core/search/README.md what happens.
struct WiringSearch {
    Job job;                      ///< the study's: the baseline, and how every candidate trains
    std::vector<int64_t> seeds;   ///< of the study: the finalists are trained with each
    int64_t seed = 1;             ///< draws the candidates and trains them up to the last rung
    std::string by = "cache";     ///< cache, params, non-embedding or flops
    double share = 0.5;           ///< of the baseline's count, above 0 and at most 1
    int64_t candidates = 16;      ///< drawn in each generation
    int64_t generations = 1;      ///< those after the first are the best so far, changed
    std::vector<int64_t> rungs;   ///< steps, ascending; the last is train.steps
    double survivors = 0.5;       ///< the share that goes on from a rung, rounded up
    int64_t finalists = 2;        ///< the best at the end
    std::string tables = "both";  ///< keys, values or both: what candidates may change
    bool budgeted = false;        ///< the study has a "budget", too: nothing can be trained so
};

/// The section of a study's document, or none. UserError naming the key for what cannot be
/// searched.
std::optional<WiringSearch> parse_search(const nlohmann::json& document);

/// The same of STUDY_DIR/study.json; none where there is no such file.
std::optional<WiringSearch> load_search(const std::filesystem::path& study_dir);

/// What is spoken of as SHARE of the baseline's "cache", "params", …: { "cache": 0.5 }.
/// UserError unless it is one of them with a share above 0 and at most 1.
void parse_budget(const nlohmann::json& budget, WiringSearch& search);

/// "cache=0.5" as it stands under "budget". UserError as parse_budget, naming --budget.
nlohmann::json budget_of_option(const std::string& text);

}  // namespace headroom
