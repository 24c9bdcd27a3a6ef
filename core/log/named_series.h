#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/run_series.h"

namespace headroom {

/// One series of a log by its name, whatever its type, each row placed in the run. It shares the
/// rows: cheap to copy, and it outlives the series that it was taken from.
struct NamedSeries {
    std::string name;  ///< "train/loss", "val/loss", "system/host_bytes", …
    std::string unit;  ///< as the log gives it; "" for plain numbers
    std::string help;  ///< "" where the log says nothing
    size_t size = 0;
    std::function<double(size_t)> value;
    std::function<int64_t(size_t)> step;    ///< 1-based; that of the last training step before it
    std::function<int64_t(size_t)> tokens;  ///< seen by then
};

/// None if the log has no such series. Index columns (steps, tokens, seconds) and hashes are none,
/// and but for the losses neither is what is NaN in every row: an imported log does not know it.
std::optional<NamedSeries> find_series(const RunSeries& log, const std::string& name);

/// Whether more of a series is better, as its last word says: accuracies such as "val_accuracy",
/// "eval/acc" or "piqa.acc_norm". Of everything else less is, as of a loss.
bool more_is_better(std::string_view name);

/// Names of all series that `log` has, in the order of core/log/README.md, with their units.
struct SeriesName {
    std::string name, unit;

    bool operator==(const SeriesName&) const = default;
};
std::vector<SeriesName> list_series(const RunSeries& log);

/// Every log may have them: list_series() without "scalars/NAME", which the log alone can tell.
std::vector<std::string> series_of_every_log();

/// Which rows count where a run that was resumed repeats steps: the ones that were written last.
struct KeptRows {
    std::vector<uint32_t> kept;                     ///< steps strictly ascending
    std::vector<std::vector<uint32_t>> superseded;  ///< one stretch for each rewind, oldest first
    std::vector<uint32_t> resumed;                  ///< row at which each rewind begins
};
KeptRows kept_rows(size_t size, const std::function<int64_t(size_t)>& step);

}  // namespace headroom
