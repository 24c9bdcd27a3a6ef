#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/study/study.h"
#include "panels/study/run.h"

namespace headroom {

/// A study at one moment: its folder, its runs, its scheduler. Immutable once made and shared by
/// pointer between the thread that reads and the thread that draws.
struct StudySnapshot {
    std::filesystem::path folder;
    std::string name;
    /// In the order of study.json, seeds of a variant together; those that it does not name last,
    /// by their folders' names.
    std::vector<RunPointer> runs;
    std::vector<StudyFigure> figures;  ///< of study.json
    std::string job;                   ///< "job" of study.json as text, "" where there is none
    double flops_per_second = 0;       ///< of training here, see training_rate; 0 = unknown
    std::set<std::string> in_trash;    ///< ids of removed runs that can come back
    bool scheduler_alive = false;
    bool reading = false;  ///< some logs are still being read: look again at once
    std::string problem;   ///< one line where the folder cannot be read as a study, else ""
    std::string
        labels_problem;  ///< the same of labels.json, without which colours and names differ

    /// By id; null if there is none.
    RunPointer find(const std::string& id) const;
};
using StudyPointer = std::shared_ptr<const StudySnapshot>;

}  // namespace headroom
