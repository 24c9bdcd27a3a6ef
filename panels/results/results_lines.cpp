#include "panels/results/results_lines.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/config/schema.h"
#include "panels/study/job_difference.h"
#include "panels/study/run_groups.h"

namespace headroom {
namespace {

/// Where the key of the x axis has a number in a run that does not ask it, the number means
/// nothing.
void require_x_counts(const Run& run, const std::string& x) {
    const Field* key = find_field(x);
    if (key != nullptr && run.job && !is_active(*key, *run.job))
        throw UserError(
            fmt::format("{} has no effect in {} without {}", x, run.id, key->active_when.needs),
            "make the run the --reference, or leave it out");
}

double x_of(const Run& run, const RunFacts& facts, const std::string& x) {
    require_x_counts(run, x);
    const RunValue value = facts.value(run, x);
    if (!value.number)
        throw UserError(fmt::format("{} of {} is no number{}", x, run.id,
                                    value.text.empty() ? "" : ": " + value.text),
                        "give --x a key with numbers, or leave the run out");
    return *value.number;
}

/// What a run is called wherever it stands on x.
std::string own_name(const Run& run) {
    if (!run.label.name.empty()) return run.label.name;
    return run.job ? name_without_seed(run.job->name, run.seed) : run.group;
}

std::set<std::string> groups_in(const std::vector<RunPointer>& runs) {
    std::set<std::string> groups;
    for (const RunPointer& run : runs) groups.insert(run->group);
    return groups;
}

bool pools_groups(const RunLine& line) {
    return std::any_of(line.cells.begin(), line.cells.end(),
                       [](const auto& cell) { return groups_in(cell.second).size() > 1; });
}

using JobKeys = std::map<std::string, std::string>;

JobKeys keys_of(const Run& run) {
    return run.job ? identify(*run.job).keys : JobKeys();
}

/// The keys in which jobs differ that share a point of the line. Others, such as those that follow
/// from x, do not part it.
std::set<std::string> parting_keys(const RunLine& line) {
    std::set<std::string> parting;
    for (const auto& [at, runs] : line.cells) {
        std::map<std::string, JobKeys> of_group;
        for (const RunPointer& run : runs) of_group.try_emplace(run->group, keys_of(*run));
        std::vector<const JobKeys*> jobs;
        for (const auto& [group, keys] : of_group) jobs.push_back(&keys);
        for (std::string& key : differing_keys(jobs)) parting.insert(std::move(key));
    }
    return parting;
}

/// What the jobs of a line's groups are among those that share a point, by group; the group's own
/// name where that does not tell.
std::map<std::string, std::string> names_of_groups(const RunLine& line) {
    const std::set<std::string> parting = parting_keys(line);
    std::map<std::string, JobKeys> of_group;
    for (const auto& [at, runs] : line.cells)
        for (const RunPointer& run : runs) {
            JobKeys keys = keys_of(*run);
            std::erase_if(keys, [&](const auto& key) { return !parting.contains(key.first); });
            of_group.try_emplace(run->group, std::move(keys));
        }
    std::set<JobKeys> different;
    for (const auto& [group, keys] : of_group) different.insert(keys);
    std::vector<const JobKeys*> jobs;
    for (const JobKeys& keys : different) jobs.push_back(&keys);
    const std::vector<std::string> texts = describe_differences(jobs);
    std::map<std::string, std::string> names;
    for (const auto& [group, keys] : of_group) {
        const auto place = std::distance(different.begin(), different.find(keys));
        const std::string& text = texts[static_cast<size_t>(place)];
        names[group] = text.empty() ? group : line.name + " · " + text;
    }
    return names;
}

/// The runs of `from` on lines of their own: `name_of` says which.
template <class NameOf>
std::vector<RunLine> split(const RunLine& from, NameOf name_of) {
    std::vector<RunLine> lines;
    for (const auto& [at, runs] : from.cells)
        for (const RunPointer& run : runs) {
            const std::string name = name_of(*run);
            auto line = std::find_if(lines.begin(), lines.end(),
                                     [&](const RunLine& each) { return each.name == name; });
            if (line == lines.end()) line = lines.insert(lines.end(), {name, run->color, {}});
            line->cells[at].push_back(run);
        }
    return lines;
}

std::vector<RunLine> without_pooling(const RunLine& line) {
    if (!pools_groups(line)) return {line};
    const auto names = names_of_groups(line);
    std::vector<RunLine> lines;
    for (RunLine& part : split(line, [&](const Run& run) { return names.at(run.group); })) {
        if (!pools_groups(part)) {
            lines.push_back(std::move(part));
            continue;
        }
        for (RunLine& group : split(part, [](const Run& run) { return run.group; }))
            lines.push_back(std::move(group));
    }
    return lines;
}

/// What the values of `by` are called, by their identity.
std::map<std::string, std::string> names_of_values(const std::vector<RunPointer>& runs,
                                                   const RunFacts& facts, const std::string& by) {
    std::map<std::string, std::string> names;
    if (by.empty()) return names;
    std::vector<std::string> texts, wholes;
    for (const RunPointer& run : runs) {
        const RunValue value = facts.value(*run, by);
        texts.push_back(value.text);
        wholes.push_back(facts.group_identity(*run, by));
    }
    texts = told_apart(std::move(texts), wholes);
    for (size_t i = 0; i < runs.size(); ++i) names[wholes[i]] = texts[i];
    return names;
}

/// Where a value of `by` stands for several variants at once.
std::string pooling_note(const RunLine& line, const std::string& x) {
    for (const auto& [at, runs] : line.cells)
        if (const auto groups = groups_in(runs); groups.size() > 1)
            return fmt::format("{}: means over different variants, at {} {:g} over {}", line.name,
                               x, at, fmt::join(groups, " and "));
    return "";
}

}  // namespace

bool RunLine::holds(const Run& run) const {
    return std::any_of(cells.begin(), cells.end(), [&](const auto& cell) {
        return std::any_of(cell.second.begin(), cell.second.end(),
                           [&](const RunPointer& each) { return each->id == run.id; });
    });
}

std::vector<RunLine> lines_of(const std::vector<RunPointer>& runs, const RunFacts& facts,
                              const ResultsSettings& settings, const std::string& reference,
                              std::vector<std::string>& notes) {
    std::map<std::string, std::string> names;  // of groups: what their first run is called
    for (const RunPointer& run : runs) names.try_emplace(run->group, own_name(*run));
    const std::map<std::string, std::string> values = names_of_values(runs, facts, settings.by);
    std::vector<RunLine> named;
    for (const RunPointer& run : runs) {
        if (run->group == reference) continue;
        const double x = x_of(*run, facts, settings.x);
        const std::string& name = settings.by.empty()
                                      ? names.at(run->group)
                                      : values.at(facts.group_identity(*run, settings.by));
        auto line = std::find_if(named.begin(), named.end(),
                                 [&](const RunLine& each) { return each.name == name; });
        if (line == named.end()) line = named.insert(named.end(), {name, run->color, {}});
        line->cells[x].push_back(run);
    }
    std::vector<RunLine> lines;
    for (RunLine& line : named) {
        if (settings.by.empty()) {
            for (RunLine& part : without_pooling(line)) lines.push_back(std::move(part));
            continue;
        }
        if (std::string note = pooling_note(line, settings.x); !note.empty())
            notes.push_back(std::move(note));
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace headroom
