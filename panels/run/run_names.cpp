#include "panels/run/run_names.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/printable.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// What the job says, as far as it can be understood.
struct JobFacts {
    std::string key;   ///< equal for jobs that differ in seed and name alone
    std::string name;  ///< without its seed; "" if the job has none
    int64_t seed = 0;
};

/// "skipv1-s2" with seed 2 is "skipv1"; so are "skipv1_seed2" and "skipv1 2".
std::string without_seed(const std::string& name, int64_t seed) {
    const std::string number = std::to_string(seed);
    if (!name.ends_with(number)) return name;
    std::string rest = name.substr(0, name.size() - number.size());
    for (const std::string word : {"seed", "s"})
        if (rest.ends_with(word)) {
            rest.resize(rest.size() - word.size());
            break;
        }
    const size_t end = rest.find_last_not_of("-_ .");
    const bool separated = end != std::string::npos && end + 1 < rest.size();
    return separated ? rest.substr(0, end + 1) : name;
}

JobFacts facts_of(const RunIdentity& run) {
    JobFacts facts;
    nlohmann::json job = parse_json_or_null(run.job);
    if (!job.is_object()) return {run.folder, "", 0};  // alone in its variant
    if (job.contains("seed") && job["seed"].is_number_integer()) facts.seed = job["seed"];
    if (job.contains("name") && job["name"].is_string())
        facts.name = printable(without_seed(job["name"], facts.seed));
    job.erase("seed");
    job.erase("name");
    facts.key = job.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return facts;
}

std::string last_names(const fs::path& folder, int count) {
    fs::path path = folder.lexically_normal();
    if (!path.has_filename()) path = path.parent_path();
    fs::path result = path.filename();
    for (int i = 1; i < count && path.has_parent_path() && path.parent_path() != path; ++i) {
        path = path.parent_path();
        result = path.filename() / result;
    }
    return printable(result.string());
}

/// As few names of each path as tell all apart.
std::vector<std::string> unique_ids(const std::vector<RunIdentity>& runs) {
    constexpr int kMostNames = 6;
    std::vector<std::string> ids;
    for (int names = 1; names <= kMostNames; ++names) {
        ids.clear();
        for (const RunIdentity& run : runs) ids.push_back(last_names(run.folder, names));
        if (std::set(ids.begin(), ids.end()).size() == ids.size()) return ids;
    }
    for (size_t i = 0; i < runs.size(); ++i) ids[i] = fmt::format("{} #{}", ids[i], i + 1);
    return ids;
}

/// A name for each variant, different from those of all others.
std::map<std::string, std::string> variant_names(const std::vector<JobFacts>& facts,
                                                 const std::vector<std::string>& ids) {
    std::map<std::string, std::set<std::string>> keys_of_name;
    for (const JobFacts& fact : facts) keys_of_name[fact.name].insert(fact.key);
    std::map<std::string, std::string> names;
    for (size_t i = 0; i < facts.size(); ++i) {
        const bool clear = !facts[i].name.empty() && keys_of_name[facts[i].name].size() == 1;
        names.try_emplace(facts[i].key,
                          clear ? facts[i].name : without_seed(ids[i], facts[i].seed));
    }
    return names;
}

void note_taken(const std::map<std::string, int>& colors, const std::string& key,
                std::set<int>& taken) {
    if (const auto known = colors.find(key); known != colors.end()) taken.insert(known->second);
}

int color_of(std::map<std::string, int>& colors, const std::string& key, std::set<int>& taken) {
    if (const auto known = colors.find(key); known != colors.end()) return known->second;
    int color = 0;
    while (taken.contains(color)) ++color;
    taken.insert(color);
    return colors[key] = color;
}

}  // namespace

std::vector<RunSnapshot> identify_runs(const std::vector<RunIdentity>& runs) {
    std::vector<JobFacts> facts;
    for (const RunIdentity& run : runs) facts.push_back(facts_of(run));
    const std::vector<std::string> ids = unique_ids(runs);
    const auto variants = variant_names(facts, ids);
    std::map<std::string, int> runs_of_variant;
    for (const JobFacts& fact : facts) ++runs_of_variant[variants.at(fact.key)];

    std::vector<RunSnapshot> result(runs.size());
    std::set<std::string> taken;
    for (size_t i = 0; i < runs.size(); ++i) {
        RunSnapshot& run = result[i];
        run.id = ids[i];
        run.folder = runs[i].folder;
        run.seed = facts[i].seed;
        run.variant = variants.at(facts[i].key);
        run.name = run.variant;
        if (runs_of_variant[run.variant] > 1) run.name += fmt::format(", seed {}", run.seed);
        if (!taken.insert(run.name).second) run.name = run.id;
        taken.insert(run.name);
        run.series = std::make_shared<const RunSeries>();
    }
    return result;
}

void assign_colors(std::vector<RunSnapshot>& runs, RunColors& colors) {
    std::set<int> run_colors, variant_colors;
    for (const RunSnapshot& run : runs) {
        note_taken(colors.runs, run.folder, run_colors);
        note_taken(colors.variants, run.variant, variant_colors);
    }
    for (RunSnapshot& run : runs) {
        run.color = color_of(colors.runs, run.folder, run_colors);
        run.variant_color = color_of(colors.variants, run.variant, variant_colors);
    }
}

double parse_iso_time(const std::string& text) {
    std::tm time{};
    char sign = 'Z';
    int zone_hours = 0, zone_minutes = 0, used = 0;
    const int fields =
        std::sscanf(text.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d%n", &time.tm_year, &time.tm_mon,
                    &time.tm_mday, &time.tm_hour, &time.tm_min, &time.tm_sec, &used);
    if (fields != 6) return 0;
    const size_t zone = text.find_first_of("Z+-", static_cast<size_t>(used));
    if (zone != std::string::npos)
        std::sscanf(text.c_str() + zone, "%c%2d:%2d", &sign, &zone_hours, &zone_minutes);
    time.tm_year -= 1900;
    time.tm_mon -= 1;
    const int east = (sign == '-' ? -1 : 1) * (zone_hours * 3600 + zone_minutes * 60);
    return static_cast<double>(timegm(&time) - east);
}

}  // namespace headroom
