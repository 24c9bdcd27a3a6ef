#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"
#include "core/device/device.h"

namespace headroom {

/// The document of a job file with --set assignments applied. UserError if it cannot be read, for a
/// bad assignment, and of an imported run, which has no model.
nlohmann::json load_job_document(const std::filesystem::path& path,
                                 const std::vector<std::string>& sets);

/// Reads a job file, applies --set assignments, and makes relative data paths absolute, seen from
/// the job file's folder. UserError naming the file and the key.
Job load_job_for_run(const std::filesystem::path& path, const std::vector<std::string>& sets);

/// The device of that name. "auto" is a CUDA device where there is a driver and one can be opened
/// that trains a small model as the CPU does (device_check.h), else the CPU; a line on stderr says
/// which was taken, unless there is no driver or CUDA_VISIBLE_DEVICES hides all devices. UserError
/// or EnvironmentError if a device that was named is not there.
std::unique_ptr<Device> open_device(const std::string& name);

}  // namespace headroom
