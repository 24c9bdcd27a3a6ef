#include "panels/study/run_groups.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/config/job_json.h"
#include "core/study/run_folder.h"
#include "panels/study/job_difference.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kVocabulary[] = "model.vocab_size";

void flatten(const json& value, const std::string& path, std::map<std::string, std::string>& keys) {
    if (value.is_object() && !value.empty()) {
        for (const auto& [key, part] : value.items())
            flatten(part, path.empty() ? key : path + "." + key, keys);
    } else {
        keys[path] = dump_text(value);
    }
}

JobIdentity identify_document(json document) {
    JobIdentity identity;
    if (document.contains("seed") && document["seed"].is_number_integer()) {
        identity.seed = document["seed"];
        identity.has_seed = true;
    }
    if (document.contains("name") && document["name"].is_string())
        identity.name = printable(document["name"].get<std::string>());
    document.erase("seed");
    document.erase("name");
    flatten(document, "", identity.keys);
    return identity;
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
std::vector<std::string> unique_ids(const std::vector<NamedFolder>& runs) {
    constexpr int kMostNames = 6;
    std::vector<std::string> ids;
    for (int names = 1; names <= kMostNames; ++names) {
        ids.clear();
        for (const NamedFolder& run : runs) ids.push_back(last_names(run.folder, names));
        if (std::set(ids.begin(), ids.end()).size() == ids.size()) return ids;
    }
    for (size_t i = 0; i < runs.size(); ++i) ids[i] = fmt::format("{} #{}", ids[i], i + 1);
    return ids;
}

/// Runs of one group, by their places, with what they are called before groups are told apart.
struct Group {
    std::string name;
    std::string variant{};  ///< the name before it was told apart
    const JobIdentity* job = nullptr;
    std::vector<size_t> runs;
};

std::string text_of(const std::map<std::string, std::string>& keys) {
    std::string text;
    for (const auto& [key, value] : keys)
        if (key != kVocabulary) text += key + "=" + value + "\n";
    return text;
}

/// The checkpoint of runs/ID that a job starts from, without the seed in ID.
void forget_seed_of_source(JobIdentity& job) {
    const auto key = job.keys.find("train.init_from");
    if (key == job.keys.end()) return;
    const json source = parse_json_or_null(key->second);
    if (!source.is_string()) return;
    const fs::path file = source.get<std::string>();
    const fs::path folder = file.parent_path(), run = folder.parent_path();
    if (folder != RunFolder{run}.checkpoints() || folder_of_runs(run).empty()) return;
    const std::string id = name_without_seed(run.filename().string(), job.seed);
    const fs::path common = run.parent_path() / id / folder.filename() / file.filename();
    key->second = dump_text(json(common.string()));
}

/// Runs that start each from the run of their own seed are seeds of one variant, and so are runs
/// that all start from one run. One that could be of both kinds goes where there are more seeds.
std::vector<NamedFolder> with_common_sources(std::vector<NamedFolder> runs) {
    std::map<std::string, std::set<int64_t>> seeds, seeds_of_own;
    std::vector<JobIdentity> own;
    for (const NamedFolder& run : runs) {
        own.push_back(run.job);
        forget_seed_of_source(own.back());
        seeds[text_of(run.job.keys)].insert(run.job.seed);
        seeds_of_own[text_of(own.back().keys)].insert(run.job.seed);
    }
    for (size_t i = 0; i < runs.size(); ++i)
        if (seeds_of_own[text_of(own[i].keys)].size() >= seeds[text_of(runs[i].job.keys)].size())
            runs[i].job = own[i];
    return runs;
}

std::string vocabulary_of(const JobIdentity& job) {
    const auto at = job.keys.find(kVocabulary);
    return at == job.keys.end() || at->second == "0" ? "" : at->second;
}

/// For each run the number of its group, in the order of their first runs.
std::vector<size_t> group_numbers(const std::vector<NamedFolder>& runs) {
    std::map<std::string, std::string> first_vocabulary;  // of jobs that are equal but for it
    for (const NamedFolder& run : runs) {
        std::string& known = first_vocabulary[text_of(run.job.keys)];
        if (known.empty()) known = vocabulary_of(run.job);
    }
    std::map<std::string, size_t> numbers;
    std::vector<size_t> result;
    for (const NamedFolder& run : runs) {
        const std::string text = text_of(run.job.keys);
        std::string vocabulary = vocabulary_of(run.job);
        if (vocabulary.empty()) vocabulary = first_vocabulary[text];
        const std::string key = run.job.keys.empty() ? "folder " + run.folder : text + vocabulary;
        result.push_back(numbers.try_emplace(key, numbers.size()).first->second);
    }
    return result;
}

std::vector<Group> make_groups(const std::vector<NamedFolder>& runs,
                               const std::vector<std::string>& ids) {
    std::vector<Group> groups;
    const std::vector<size_t> numbers = group_numbers(runs);
    for (size_t i = 0; i < runs.size(); ++i) {
        if (numbers[i] == groups.size()) groups.push_back({"", "", &runs[i].job, {}});
        groups[numbers[i]].runs.push_back(i);
    }
    for (Group& group : groups) {
        for (const size_t run : group.runs)
            if (group.name.empty()) group.name = printable(runs[run].label);
        const size_t first = group.runs.front();
        const JobIdentity& job = *group.job;
        for (const std::string& name : {job.name, ids[first]})
            if (group.name.empty())
                group.name = job.has_seed ? name_without_seed(name, job.seed) : name;
    }
    return groups;
}

/// What tells these groups apart. A vocabulary that some do not know yet is nothing that does.
std::vector<std::string> describe_groups(const std::vector<Group*>& groups) {
    std::vector<std::map<std::string, std::string>> jobs;
    std::set<std::string> vocabularies;
    for (const Group* group : groups) {
        jobs.push_back(group->job->keys);
        vocabularies.insert(vocabulary_of(*group->job));
    }
    vocabularies.erase("");
    std::vector<const std::map<std::string, std::string>*> keys;
    for (auto& job : jobs) {
        if (vocabularies.size() < 2) job.erase(kVocabulary);
        keys.push_back(&job);
    }
    return describe_differences(keys);
}

/// Says what groups of one name differ in; where nothing can be said, their first run's id.
void tell_apart(std::vector<Group>& groups, const std::vector<std::string>& ids) {
    std::map<std::string, std::vector<Group*>> by_name;
    for (Group& group : groups) by_name[group.name].push_back(&group);
    for (auto& [name, same] : by_name) {
        if (same.size() < 2) continue;
        const std::vector<std::string> differences = describe_groups(same);
        for (size_t i = 0; i < same.size(); ++i)
            same[i]->name +=
                " · " + (differences[i].empty() ? ids[same[i]->runs.front()] : differences[i]);
    }
    std::set<std::string> taken;
    for (Group& group : groups) {
        while (!taken.insert(group.name).second) group.name += " (" + ids[group.runs.front()] + ")";
    }
}

void name_runs(const Group& group, const std::vector<NamedFolder>& runs,
               std::vector<RunIdentity>& result) {
    std::map<int64_t, int> furthest;  // of each seed
    for (const size_t at : group.runs) {
        int& progress = furthest[runs[at].job.seed];
        progress = std::max(progress, runs[at].progress);
    }
    std::set<int64_t> seeds;
    for (size_t place = 0; place < group.runs.size(); ++place) {
        const size_t at = group.runs[place];
        RunIdentity& run = result[at];
        run.group = run.name = group.name;
        run.variant = group.variant;
        run.seed = runs[at].job.seed;
        run.shade = static_cast<int>(place);
        run.repeats = runs[at].progress < furthest[run.seed] || !seeds.insert(run.seed).second;
        if (group.runs.size() > 1) run.name += fmt::format(", seed {}", run.seed);
        if (run.repeats) run.name += fmt::format(" ({})", run.id);
    }
}

}  // namespace

int progress_of(const RunStatus& status) {
    if (status.phase == RunPhase::kFinished) return 2;
    return status.step > 0 ? 1 : 0;
}

std::string name_without_seed(const std::string& name, int64_t seed) {
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

JobIdentity identify(const Job& job) {
    return identify_document(to_json(job));
}

JobIdentity identify(const std::string& job_json) {
    json job = parse_json_or_null(job_json);
    return job.is_object() ? identify_document(std::move(job)) : JobIdentity{};
}

std::vector<RunIdentity> identify_runs(const std::vector<NamedFolder>& given) {
    const std::vector<NamedFolder> runs = with_common_sources(given);
    const std::vector<std::string> ids = unique_ids(runs);
    std::vector<Group> groups = make_groups(runs, ids);
    for (Group& group : groups) group.variant = group.name;
    tell_apart(groups, ids);
    std::vector<RunIdentity> result(runs.size());
    for (size_t i = 0; i < runs.size(); ++i) result[i].id = ids[i];
    for (const Group& group : groups) name_runs(group, runs, result);
    return result;
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

std::string local_iso_time(const std::string& text) {
    const double seconds = parse_iso_time(text);
    if (seconds == 0) return text;
    const auto time = static_cast<std::time_t>(seconds);
    std::tm local{};
    std::array<char, 32> shown{};
    if (localtime_r(&time, &local) == nullptr) return text;
    return {shown.data(), std::strftime(shown.data(), shown.size(), "%Y-%m-%dT%H:%M:%S", &local)};
}

}  // namespace headroom
