#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/log/series_pyramid.h"

namespace headroom {

/// Pyramids kept beside the logs that they are of: RUN_DIR/train-loss.curve for /train/loss. Only a
/// cache: one that is of another state of the log, damaged, cut or made by somebody else is as good
/// as none.

/// Where the pyramid of a series of `log` is kept.
std::filesystem::path pyramid_path(const std::filesystem::path& log, const std::string& series);

/// The kept pyramid, if it is one of that series and weight, and of this log as it is now or of a
/// beginning of it (to be extended); `train` is what the log holds. Never throws for what it finds.
std::optional<SeriesPyramid> load_pyramid(const std::filesystem::path& log,
                                          const std::string& series, double weight,
                                          const TrainSeries& train);

/// Keeps it; false where the folder cannot be written.
bool save_pyramid(const std::filesystem::path& log, const SeriesPyramid& pyramid) noexcept;

}  // namespace headroom
