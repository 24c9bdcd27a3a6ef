#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// What to read of a source, and how.
struct ForeignLogChoice {
    std::string format = "auto";  ///< one of foreign_log_formats(); "auto" looks into the file
    /// The column of steps of a CSV table, of JSON lines or of Weights & Biases; "": one of the
    /// usual names.
    std::string step_column = {};
    std::string run = {};  ///< of runs_in_log(), where these are several
    /// Columns of a table that are asked for by their whole names, whatever runs it holds.
    std::vector<std::string> columns = {};
};

/// Reads what another tool logged of one run: a folder or event file of TensorBoard, a folder or
/// file of Weights & Biases, or a text log. UserError where no reader knows it, for a column of
/// what has none, and where it holds several runs or others than `choice` says.
ForeignLog read_foreign_log(const std::filesystem::path& source,
                            const ForeignLogChoice& choice = {});

/// The names of the runs that a source holds several of, as a table that Weights & Biases exported
/// of a panel may; none where a source is of one run or cannot be read.
std::vector<std::string> runs_in_log(const std::filesystem::path& source);

/// "auto", "tensorboard", "wandb" and the names of the text logs.
std::vector<std::string> foreign_log_formats();

}  // namespace headroom
