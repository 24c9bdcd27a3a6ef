#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/study/study.h"

namespace headroom {

/// The runs of a document of a study as they grow. The document must outlive it.
class ListedRuns {
  public:
    ListedRuns(nlohmann::ordered_json& document, std::filesystem::path study_dir);

    bool has(const std::string& id) const { return find(id) != nullptr; }

    /// As add_runs() does it with one (study_edit.h).
    void add(const StudyRun& run);
    /// A run that was taken out: a seed of its variant again, whatever job that has by now.
    void put_back(const StudyRun& run);
    /// Lists a run that lies in the folder but not in the document. UserError for one whose job
    /// cannot be read.
    void adopt(const std::string& id);

  private:
    const StudyRun* find(const std::string& id) const;
    void add_alone(const StudyRun& run);
    bool join_variant(const StudyRun& run);

    const nlohmann::ordered_json& document_;
    nlohmann::ordered_json& entries_;
    std::filesystem::path study_dir_;
    std::vector<StudyRun> runs_;
};

}  // namespace headroom
