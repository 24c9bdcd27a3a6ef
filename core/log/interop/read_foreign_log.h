#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// Reads what another tool logged of one run: a folder or event file of TensorBoard, a folder or
/// file of Weights & Biases, or a text log. `format` is one of foreign_log_formats(); "auto" looks
/// into the file. `step_column` is the column of steps of a CSV table, of JSON lines or of Weights
/// & Biases, "" one of the usual names. UserError where no reader knows it, and for a column of
/// what has none.
ForeignLog read_foreign_log(const std::filesystem::path& source, const std::string& format = "auto",
                            const std::string& step_column = {});

/// "auto", "tensorboard", "wandb" and the names of the text logs.
std::vector<std::string> foreign_log_formats();

}  // namespace headroom
