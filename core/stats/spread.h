#pragma once

#include <span>
#include <string>
#include <vector>

namespace headroom {

/// What the band around a mean over seeds shows.
enum class SeedBand { kMinMax, kStdDev, kStdErr, kT95 };

/// "min-max", "sd", "se", "t95": the spelling of the command line and of kept settings.
std::string name_of(SeedBand band);
/// Throws UserError for anything else.
SeedBand parse_seed_band(const std::string& text);
/// All that there are.
std::vector<std::string> seed_band_names();
/// For people: "95 % t-interval of the mean".
std::string describe(SeedBand band);

struct Spread {
    double mean = 0;
    double lower = 0;
    double upper = 0;
};

/// Mean over seeds with its band. The deviation is the sample's (n - 1); of one value alone it is
/// unknown, and the band is NaN except for min-max. NaN in, NaN out.
Spread spread_of(std::span<const double> values, SeedBand band);

}  // namespace headroom
