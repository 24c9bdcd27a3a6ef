#pragma once

#include <string>
#include <string_view>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// The file run-ID.wandb that Weights & Biases keeps of every run on the machine that ran it,
/// offline or not: a head of seven bytes, then LevelDB's log format, in which blocks of 32 KiB hold
/// a record in one or more pieces, each with its CRC-32, length and kind; a record is a protocol
/// buffer `Record` (wandb/proto/wandb_internal.proto). Checked against version 0.31 of that tool.

/// Whether a file begins as such files do.
bool is_wandb_file(std::string_view bytes);

/// Reads one file, named `source` in errors: every number that was logged, nested ones as "a.b",
/// NaN and infinities among them; histograms, texts and other media are passed over. A record that
/// is cut off at the end, as a run that still goes on or was killed leaves it, ends the file.
/// `step_column` as of a CSV table; the tool's own counter is called _step.
/// UserError for a piece whose checksum is wrong and for what is no such file.
ForeignLog read_wandb_file(std::string_view bytes, const std::string& source,
                           const std::string& step_column = {});

}  // namespace headroom
