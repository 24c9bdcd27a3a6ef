#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/stats/spread.h"
#include "panels/figure/figure.h"
#include "panels/probe/probe_source.h"
#include "panels/probe/profile_numbers.h"

namespace headroom {

struct ProfileSettings {
    std::string what = "effective_rank";
    std::string tensor;  ///< "" = the quantity's default
    HeadSummary heads = HeadSummary::kMean;
    bool group_seeds = true;  ///< runs that differ in their seed alone become a mean and a band
    SeedBand band = SeedBand::kMinMax;
    bool log_y = false;

    bool operator==(const ProfileSettings&) const = default;
};

/// One line of a profile.
struct ProfileCurve {
    std::string name;  ///< "skipv1", "skipv1 (3 seeds)"
    int color = 0, shade = 0;
    int seeds = 1;
    ProfileAxis axis = ProfileAxis::kLayers;
    std::vector<double> values;        ///< means over the seeds
    std::vector<double> lower, upper;  ///< of the band; empty with one seed
};

struct ProfileView {
    Figure figure;  ///< title and size are left to the caller
    std::vector<ProfileCurve> curves;
    std::vector<std::string> notes;  ///< also the figure's footnote
};

/// A number per layer against depth, a line for each run or variant with a band over the seeds.
/// Layers count from 0; of the residual stream, point k is what block k reads, the last what the
/// classifier reads. Reads the files: call it off the UI thread. UserError for a file that does not
/// have the numbers.
ProfileView build_profile(std::span<const ProbeSource> sources, const ProfileSettings& settings);

}  // namespace headroom
