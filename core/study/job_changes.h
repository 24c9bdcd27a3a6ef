#pragma once

#include <filesystem>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"

namespace headroom {

/// The keys that turn `common`, a part of a job file, into `wanted`, as few as can be: laid over
/// `common` (merged() in study.h) they parse to a job that equals `wanted` but for name and seed.
/// Files are told apart by where they lie, seen from `study_dir`.
/// UserError where no keys do, because `common` has what no key takes back.
nlohmann::json job_changes(const nlohmann::json& common, const Job& wanted,
                           const std::filesystem::path& study_dir);

}  // namespace headroom
