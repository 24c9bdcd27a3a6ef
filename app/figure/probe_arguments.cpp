#include "app/figure/probe_arguments.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/figure/figure_recipe.h"
#include "core/base/error.h"
#include "core/config/job_json.h"
#include "core/log/array_file.h"
#include "core/probe/probe_file.h"
#include "core/probe/probe_list.h"
#include "core/study/run_folder.h"
#include "panels/study/run_arguments.h"
#include "panels/study/run_source.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// The run's folder that a file lies in, if it lies in one.
std::optional<fs::path> run_of(const fs::path& file) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(file, ignored).parent_path();
    const RunFolder run{folder.parent_path()};
    return folder == run.probes() && is_run(run) ? std::optional(run.root) : std::nullopt;
}

/// A run's probe, called by the run.
ProbeSource source_of(const RunPointer& run, const fs::path& file) {
    return {run->name, run->group,          run->color,       run->shade,
            file,      figure_source(*run), repeat_note(*run)};
}

/// A file on its own, called by what it says of itself.
ProbeSource source_of(const fs::path& path) {
    const ProbeHeader header = read_probe_header(ArrayFile(path));
    ProbeSource source;
    source.name = source.group = header.run.empty() ? path.stem().string() : header.run;
    source.file = path;
    source.source = {source.name, path.string(), to_json(header.model).dump(), "", "", ""};
    return source;
}

/// All runs that are named, each once: folders, studies, and those that files lie in.
std::vector<RunPointer> named_runs(const std::vector<std::string>& arguments,
                                   std::vector<std::string>& left_out) {
    std::vector<std::string> words;
    for (const std::string& word : arguments)
        if (!is_file(word))
            words.push_back(word);
        else if (const auto run = run_of(word); run && is_file(RunFolder{*run}.log()))
            words.push_back(run->string());
    return words.empty() ? std::vector<RunPointer>{} : read_runs(words, &left_out);
}

bool same_folder(const fs::path& a, const fs::path& b) {
    std::error_code ignored;
    return fs::equivalent(a, b, ignored);
}

[[noreturn]] void refuse_unprobed(const Run& run, std::string_view kind, int64_t step) {
    throw UserError(fmt::format("{} has no {} probe{}", run.folder.string(), kind,
                                step < 0 ? "" : fmt::format(" of step {}", step)),
                    fmt::format("make it: headroom probe {} {}{}", kind, run.folder.string(),
                                step < 0 ? "" : fmt::format(" --step {}", step)));
}

/// The steps of several files of one run, which are shades of its colour.
void tell_steps_apart(std::vector<ProbeSource>& sources) {
    std::map<std::string, int> count, shades;
    for (ProbeSource& source : sources) ++count[source.name];
    for (ProbeSource& source : sources) {
        if (count[source.name] < 2) continue;
        source.shade = shades[source.name]++;
        const int64_t step = read_probe_header(ArrayFile(source.file)).step;
        source.name += step < 0 ? fmt::format(" ({})", source.file.stem().string())
                                : fmt::format(", step {}", step);
        source.group = source.name;
    }
}

/// Files that belong to no run get the colours that are left.
void color_lone_files(std::vector<ProbeSource>& sources) {
    const auto is_lone = [](const ProbeSource& source) {
        return source.source.started.empty() && source.source.state.empty();
    };
    std::set<int> taken;
    for (const ProbeSource& source : sources)
        if (!is_lone(source)) taken.insert(source.color);
    for (ProbeSource& source : sources) {
        if (!is_lone(source)) continue;
        while (taken.contains(source.color)) ++source.color;
        taken.insert(source.color);
    }
}

}  // namespace

void LeftOutProbes::say(std::string& footnote, nlohmann::json& report) const {
    say_left_out(unreadable, footnote, report);
    for (const std::string& id : unprobed) report["left_out"].push_back(id);
    if (unprobed.empty()) return;
    if (!footnote.empty()) footnote += " · ";
    footnote += fmt::format("left out, as not probed: {}", fmt::join(unprobed, ", "));
}

std::vector<ProbedFile> probes_of_runs(const std::vector<RunPointer>& runs,
                                       const std::vector<std::string>& words, std::string_view kind,
                                       int64_t step, LeftOutProbes& left_out) {
    std::vector<ProbedFile> found;
    RunPointer first_without;
    for (const RunPointer& run : runs) {
        if (const auto file = find_probe_file(run->folder, std::string(kind), step)) {
            found.push_back({run, file->path});
            continue;
        }
        const bool is_named = std::any_of(words.begin(), words.end(), [&](const auto& word) {
            return same_folder(run->folder, word);
        });
        if (is_named || run->series->state == RunState::kFinished)
            refuse_unprobed(*run, kind, step);
        left_out.unprobed.push_back(run->id);
        if (!first_without) first_without = run;
    }
    if (found.empty() && first_without) refuse_unprobed(*first_without, kind, step);
    return found;
}

std::vector<ProbeSource> find_probes(const std::vector<std::string>& arguments,
                                     std::string_view kind, int64_t step, LeftOutProbes& left_out) {
    const std::vector<RunPointer> runs = named_runs(arguments, left_out.unreadable);
    std::vector<ProbeSource> sources;
    const auto add_runs_in = [&](const std::string& word) {
        std::vector<std::string> known;  // left out already
        std::vector<RunPointer> meant;
        for (const RunPointer& one : read_runs({word}, &known))
            for (const RunPointer& run : runs)
                if (same_folder(run->folder, one->folder)) meant.push_back(run);
        for (const ProbedFile& each : probes_of_runs(meant, {word}, kind, step, left_out))
            sources.push_back(source_of(each.run, each.file));
    };
    for (const std::string& word : arguments) {
        if (!is_file(word)) {
            add_runs_in(word);
            continue;
        }
        const auto folder = run_of(word);
        RunPointer owner;
        for (const RunPointer& run : runs)
            if (folder && same_folder(run->folder, *folder)) owner = run;
        sources.push_back(owner ? source_of(owner, word) : source_of(word));
    }
    color_lone_files(sources);
    tell_steps_apart(sources);
    return sources;
}

}  // namespace headroom
