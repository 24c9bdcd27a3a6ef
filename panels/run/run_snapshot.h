#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/log/run_series.h"

namespace headroom {

/// A run at one moment, read from its folder. Immutable once made and shared by pointer, so that
/// any thread may draw from it without a lock.
struct RunSnapshot {
    std::string id;       ///< unique among the runs shown: its folder's name, longer if need be
    std::string name;     ///< for people: the job's name, with the seed where names would clash
    std::string folder;   ///< as it was given
    std::string variant;  ///< for people; equal for runs that differ in their seed alone
    int64_t seed = 0;
    double started_unix = 0;  ///< Unix time at which the run started; 0 = unknown
    int color = 0;            ///< stable in all views; see run_style()
    int variant_color = 0;    ///< of the mean over the seeds of its variant; stable too
    std::shared_ptr<const RunSeries> series;  ///< never null; empty for a run that has no log yet
    std::string problem;                      ///< one line if its log cannot be read, else ""
};

using RunPointer = std::shared_ptr<const RunSnapshot>;

}  // namespace headroom
