#include "core/study/run_reference.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/checkpoint/checkpoint.h"
#include "core/study/run_folder.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

constexpr std::string_view kPrefix = "run:";

struct Reference {
    std::string name;
    std::optional<int64_t> step;
};

Reference parse_reference(const std::string& text, const std::string& place) {
    const std::string_view words = std::string_view(text).substr(kPrefix.size());
    const size_t at = words.find('@');
    Reference reference{std::string(words.substr(0, at)), std::nullopt};
    if (at == std::string_view::npos) return reference;
    const std::string_view digits = words.substr(at + 1);
    int64_t step = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    if (error != std::errc() || end != digits.data() + digits.size() || step < 0)
        throw UserError(fmt::format("{}: \"{}\" has no whole number after the @", place, text),
                        "write run:NAME or run:NAME@STEP");
    reference.step = step;
    return reference;
}

/// What the id of a run has after its entry's: its point of a sweep.
std::string_view point_of(const StudyRun& run) {
    return std::string_view(run.variant).substr(run.entry.size());
}

const StudyRun& named(const std::vector<StudyRun>& runs, const StudyRun& reader,
                      const std::string& name, const std::string& place) {
    std::vector<const StudyRun*> with_name;
    std::vector<std::string> known;
    for (const StudyRun& run : runs) {
        if (run.id == name) return run;
        if (run.variant == name || run.entry == name) with_name.push_back(&run);
        known.push_back(run.entry);
    }
    if (with_name.empty())
        throw UserError(fmt::format("{} names the run \"{}\", which the study has not{}", place,
                                    name, suggestion(name, known)));
    std::erase_if(with_name, [&](const StudyRun* run) { return run->job.seed != reader.job.seed; });
    if (with_name.empty())
        throw UserError(fmt::format("{} names the run \"{}\", which has no seed {}", place, name,
                                    reader.job.seed),
                        "give both the same seeds, or name one run: " + name + "-s1");
    for (const StudyRun* run : with_name)
        if (with_name.size() == 1 || point_of(*run) == point_of(reader)) return *run;
    std::vector<std::string> ids;
    for (const StudyRun* run : with_name) ids.push_back(run->variant);
    throw UserError(
        fmt::format("{} names \"{}\", which stands for {}", place, name, fmt::join(ids, ", ")),
        "name one of them");
}

bool keeps_checkpoint(const TrainConfig& train, int64_t step) {
    if (step == train.steps) return true;
    return step > 0 && step < train.steps && train.checkpoint_every > 0 &&
           train.keep_checkpoints == 0 && step % train.checkpoint_every == 0;
}

/// `source_of`: the run that each starts from, its own number for one that starts from none.
void require_a_first_run(const std::vector<StudyRun>& runs, const std::vector<size_t>& source_of) {
    for (size_t i = 0; i < runs.size(); ++i) {
        std::vector<std::string> way{runs[i].id};
        for (size_t at = i; source_of[at] != at && way.size() <= runs.size();) {
            at = source_of[at];
            way.push_back(runs[at].id);
            if (at == i)
                throw UserError(fmt::format("runs start from each other in a circle: {}",
                                            fmt::join(way, " from ")),
                                "give the run that comes first \"init_from\": \"random\"");
        }
    }
}

}  // namespace

void resolve_run_references(std::vector<StudyRun>& runs) {
    std::vector<size_t> source_of;
    for (StudyRun& run : runs) {
        source_of.push_back(source_of.size());
        std::string& init_from = run.job.train.init_from;
        if (!init_from.starts_with(kPrefix)) continue;
        const std::string place = fmt::format("run \"{}\": train.init_from", run.id);
        const Reference reference = parse_reference(init_from, place);
        const StudyRun& source = named(runs, run, reference.name, place);
        if (source.id == run.id)
            throw UserError(place + " names the run itself",
                            "give the run that comes first \"init_from\": \"random\"");
        source_of.back() = static_cast<size_t>(&source - runs.data());
        const int64_t step = reference.step.value_or(source.job.train.steps);
        if (!keeps_checkpoint(source.job.train, step))
            throw UserError(
                fmt::format("{} asks for step {} of {}, which keeps no checkpoint of it", place,
                            step, source.id),
                "see train.steps, train.checkpoint_every and train.keep_checkpoints");
        const std::filesystem::path folder = StudyFolder{}.run(source.id).root;
        init_from = checkpoint_files(RunFolder{folder}.checkpoints(), step).weights.string();
    }
    require_a_first_run(runs, source_of);
}

}  // namespace headroom
