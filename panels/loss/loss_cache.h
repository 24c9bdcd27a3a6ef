#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/log/series_pyramid.h"
#include "panels/study/run.h"

namespace headroom {

/// The pyramids of long runs, so that their logs are read once: kept here while the program runs
/// and beside the logs for the next time. One thread.
class LossCache {
  public:
    /// Null where the log's steps do not ascend. `series` as in pyramid_series(). Valid until this
    /// is asked for the same run and series again. UserError if the log can no longer be read.
    const SeriesPyramid* pyramid(const Run& run, const std::string& series, double weight);
    /// Says that the pyramid of an unchanged run is still wanted, without asking for it.
    void still_wants(const Run& run, const std::string& series);
    /// Forgets what was not asked for since the last call, and writes what is not kept beside its
    /// log yet.
    void settle();

  private:
    struct Entry {
        SeriesPyramid pyramid;
        int64_t generation = -1;  ///< of the log
        int64_t rows = -1;        ///< of the log when it was last brought up to date
        bool is_of_use = true;
        bool used = true;
        bool kept = false;  ///< beside the log, or that was tried
    };
    void bring_up_to_date(Entry& entry, const Run& run, const std::string& series, double weight);

    std::map<std::pair<std::string, std::string>, Entry> entries_;  ///< by run folder and series
};

}  // namespace headroom
