#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/run_series.h"

namespace headroom {

/// The names of all columns of a log: "train/step", "val/loss", "scalars/NAME/value", ….
std::vector<std::string> series_names(const RunSeries& series);

/// The columns asked for as text. Columns of one group stand side by side after the group's index
/// (step, or seconds for system); groups follow each other after an empty line.
/// UserError with the nearest name for a column that is unknown.
std::string dump_csv(const RunSeries& series, std::span<const std::string> names);

/// The same as one JSON document: {"state", "heartbeat", "job", "series": {"train/loss": [..]}}.
/// What is not finite becomes null, for JSON has no word for it.
std::string dump_json(const RunSeries& series, std::span<const std::string> names);

/// What there is: a line for each column with its number of rows, and the state.
std::string dump_contents(const RunSeries& series);

}  // namespace headroom
