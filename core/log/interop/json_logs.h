#pragma once

#include <string>
#include <string_view>

#include "core/log/interop/foreign_log.h"

namespace headroom {

/// A JSON object a line, numbers under their names: the history of Weights & Biases ("_step",
/// "_timestamp") and of Trackio. NaN and Infinity are numbers, bare, as Python writes them, or
/// quoted. Steps as of a CSV table. A last line that is cut short is left out, and a note says so,
/// as of steps that are no whole numbers from 0 on. UserError naming another line that is none.
ForeignLog read_jsonl_log(std::string_view text, const std::string& step_column = {});

/// The trainer_state.json that Hugging Face's Trainer writes into its checkpoints: the objects of
/// its list "log_history" are rows as above, numbered in their order. UserError for what is no such
/// document.
ForeignLog read_trainer_state(std::string_view text, const std::string& step_column = {});
/// Whether it is one.
bool is_trainer_state(std::string_view text);

}  // namespace headroom
