#include "panels/probe/probe_differences.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/log/array_file.h"
#include "core/probe/linear_probe_file.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_file.h"
#include "panels/study/run_groups.h"

namespace headroom {
namespace {

/// "a, b WORD; c OTHER": the names of the sources by what is said of each; "" where it is the same
/// of all, and for those of which nothing is said.
std::string names_by(std::span<const ProbeSource> sources,
                     const std::function<std::string(const ProbeSource&)>& word_of) {
    std::vector<std::pair<std::string, std::vector<std::string>>> names;
    for (const ProbeSource& source : sources) {
        const std::string word = word_of(source);
        if (word.empty()) continue;
        auto entry = std::find_if(names.begin(), names.end(),
                                  [&](const auto& known) { return known.first == word; });
        if (entry == names.end()) entry = names.insert(entry, {word, {}});
        entry->second.push_back(source.name);
    }
    if (names.size() < 2) return "";
    std::vector<std::string> parts;
    for (const auto& [word, those] : names)
        parts.push_back(fmt::format("{} {}", fmt::join(those, ", "), word));
    return fmt::format("{}", fmt::join(parts, "; "));
}

/// How linear probes were trained, where that is not the same; steps only where all files say them.
std::string training_note(std::span<const ProbeSource> sources) {
    std::map<std::string, LinearProbeResult> linear;  // by file
    bool say_steps = true;
    for (const ProbeSource& source : sources) {
        const ArrayFile file(source.file);
        if (read_probe_header(file).kind != "linear") continue;
        const auto& [path, result] = *linear.emplace(source.file, read_linear_probe(file)).first;
        say_steps = say_steps && result.steps > 0;
    }
    const std::string words = names_by(sources, [&](const ProbeSource& source) -> std::string {
        const auto found = linear.find(source.file);
        if (found == linear.end()) return "";
        if (!say_steps) found->second.steps = 0;
        return fmt::format("({})", describe_probe_training(found->second));
    });
    return words.empty() ? "" : "probes not trained alike: " + words;
}

}  // namespace

std::vector<std::string> probe_difference_notes(std::span<const ProbeSource> sources) {
    std::vector<std::string> notes;
    std::map<std::string, std::vector<std::vector<int32_t>>> known;  // ids of each description
    const std::string tokens = names_by(sources, [&](const ProbeSource& source) {
        const ArrayFile file(source.file);
        std::string word = describe_tokens(file);
        if (!file.has(kProbeTokenIds)) return word;
        std::vector<int32_t> ids = file.read_all<int32_t>(kProbeTokenIds);
        auto& alike = known[word];
        const auto at = std::find(alike.begin(), alike.end(), ids) - alike.begin();
        if (at == std::ssize(alike)) alike.push_back(std::move(ids));
        if (at == 0) return word;
        return fmt::format("{}, in other tokens{}", word, at == 1 ? "" : fmt::format(" ({})", at));
    });
    if (!tokens.empty()) notes.push_back("not on the same tokens: " + tokens);
    const std::string steps = names_by(sources, [](const ProbeSource& source) {
        const int64_t step = read_probe_header(ArrayFile(source.file)).step;
        const bool is_said = source.name.find(", step ") != std::string::npos;
        return step < 0 || is_said ? "" : fmt::format("({})", step);
    });
    if (!steps.empty()) notes.push_back("not after the same number of steps: " + steps);
    if (std::string note = training_note(sources); !note.empty()) notes.push_back(std::move(note));
    return notes;
}

std::string seed_note(std::span<const ProbeSource> sources) {
    const auto word_of = [](const ProbeSource& source) {
        const JobIdentity job = identify(source.source.job);
        return job.has_seed ? fmt::format("seed {}", job.seed) : std::string();
    };
    std::set<std::string> words;
    bool said = true;
    for (const ProbeSource& source : sources) {
        const std::string word = word_of(source);
        if (word.empty()) return "";
        words.insert(word);
        said = said && source.name.ends_with(", " + word);
    }
    if (said) return "";
    if (words.size() == 1) return *words.begin();
    return names_by(sources,
                    [&](const ProbeSource& source) { return "(" + word_of(source) + ")"; });
}

}  // namespace headroom
