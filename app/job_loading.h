#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/device/device.h"

namespace headroom {

/// Reads a job file, applies --set assignments, and makes relative data paths absolute: a path is
/// looked for from the job file's folder first, then from the working directory. UserError naming
/// the file and the key.
Job load_job_for_run(const std::filesystem::path& path, const std::vector<std::string>& sets);

/// The device of that name ("auto": the fastest one there is). UserError if it is not there.
std::unique_ptr<Device> open_device(const std::string& name);

}  // namespace headroom
