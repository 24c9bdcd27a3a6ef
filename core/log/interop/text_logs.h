#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// What the training scripts of the field print. Each reader takes the lines that it knows and
/// passes over the rest; a log without any such line gives no scalars.
///
/// Steps are ours: how many have been made. nanoGPT and llm.c count from 0 and log the loss of a
/// batch under the number of the steps before it, so that their iteration i becomes step i + 1;
/// their evaluations stand after as many steps as they say.
///
/// nanoGPT (train.py):       tokens per iteration will be: 16,384
///                           step 250: train loss 1.9, val loss 2.0
///                           iter 250: loss 1.95, time 34.1ms, mfu 12.3%
/// Seconds are the printed times, each for all iterations since the one before.
ForeignLog read_nanogpt_log(std::string_view text);
/// llm.c (main.log):         s:250 tel:3.4   s:250 trl:3.5 lr:0.0006 norm:1.2   s:250 eval:0.29
ForeignLog read_llmc_log(std::string_view text);
/// modded-nanogpt (*.txt):   step:125/5100 val_loss:6.6 train_time:26018ms step_avg:226.2ms
///                           step:126/5100 train_loss:6.5 train_time:26240ms step_avg:226.2ms
ForeignLog read_modded_nanogpt_log(std::string_view text);

/// A header line, then rows of numbers, split at commas; what stands in quotes may have commas and
/// line ends. `step_column` names the column of steps; "" takes one of step_names()
/// (step_axis.h), else the number of the row, and a note says so. A column _timestamp or wall_time
/// is the time. Empty places are skipped; rows whose step is no whole number from 0 on, and places
/// without a number in a column of numbers, are told in notes. The exported history of Weights &
/// Biases reads so; of what it exports of a panel (panel_export.h) the run `run` alone, or all
/// columns where one is `asked` for. UserError for text that is no such table, or has no row with a
/// step.
ForeignLog read_csv_log(std::string_view text, const std::string& step_column = {},
                        const std::string& run = {}, std::vector<std::string> asked = {});
/// The runs of such a panel; none of another table.
std::vector<std::string> runs_of_csv(std::string_view text);

/// What `headroom log export --format csv` writes: tables with an empty line between, each with the
/// columns GROUP/step and GROUP/NAME. The value of a scalar has the scalar's name, all else its
/// column's; tables without steps and hashes are passed over.
ForeignLog read_headroom_csv(std::string_view text);

/// The format of a log by its first lines; none where no reader knows any of them.
struct TextLogFormat {
    std::string name;  ///< "nanogpt", "llm.c", "modded-nanogpt", "headroom-csv", "csv", "jsonl", …
    ForeignLog (*read)(std::string_view text);
};
const std::vector<TextLogFormat>& text_log_formats();
std::optional<TextLogFormat> recognise_text_log(std::string_view text);

}  // namespace headroom
