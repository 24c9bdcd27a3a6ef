#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "panels/probe/probe_source.h"
#include "panels/study/run.h"

namespace headroom {

/// Runs that only a study has brought in and that a figure of its probes leaves out; ids.
struct LeftOutProbes {
    std::vector<std::string> unreadable;  ///< their log cannot be read
    std::vector<std::string> unprobed;    ///< not at their end, or diverged

    /// Says so in the small print and in the report.
    void say(std::string& footnote, nlohmann::json& report) const;
};

struct ProbedFile {
    RunPointer run;
    std::filesystem::path file;
};

/// Runs with their probe of `kind` and `step`, or the newest for -1. Those without one that have
/// not finished and that only a study among `words` has brought in go to `left_out`, as long as
/// others are left. UserError for any other without one, with the command that makes it.
std::vector<ProbedFile> probes_of_runs(const std::vector<RunPointer>& runs,
                                       const std::vector<std::string>& words, std::string_view kind,
                                       int64_t step, LeftOutProbes& left_out);

/// The files of `headroom probe KIND` that arguments name, in their order: each is such a file, a
/// run folder, or a study folder for all its runs; of folders the probe of `step`, or the newest
/// for -1. Files that lie in a run's folder are called by the run. UserError for a word that is
/// none of these; for runs without such a probe as probes_of_runs() has it. Runs of a study whose
/// log cannot be read go to `left_out`, too.
std::vector<ProbeSource> find_probes(const std::vector<std::string>& arguments,
                                     std::string_view kind, int64_t step, LeftOutProbes& left_out);

}  // namespace headroom
