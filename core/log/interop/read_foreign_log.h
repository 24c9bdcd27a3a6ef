#pragma once

#include <filesystem>
#include <string>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// Reads what another tool logged of one run: a folder or event file of TensorBoard, or a text log.
/// `format` is "tensorboard", the name of a TextLogFormat, or "auto", which looks into the file.
/// UserError where no reader knows it.
ForeignLog read_foreign_log(const std::filesystem::path& source,
                            const std::string& format = "auto");

}  // namespace headroom
