#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/study/run_status.h"

namespace headroom {

/// One row of `headroom study status`.
struct StudyRow {
    std::string run_id;
    RunStatus status;
};

std::vector<StudyRow> study_rows(const std::filesystem::path& study_dir);

/// A table for people: one header line and one line per run.
std::string status_table(const std::vector<StudyRow>& rows);

/// For programs; what is unknown is null.
nlohmann::ordered_json status_json(const std::filesystem::path& study_dir,
                                   const std::vector<StudyRow>& rows);

}  // namespace headroom
