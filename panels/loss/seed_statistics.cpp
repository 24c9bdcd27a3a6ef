#include "panels/loss/seed_statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {
namespace {

struct BandName {
    SeedBand band;
    const char* name;
    const char* text;
};

constexpr std::array<BandName, 4> kBandNames{{
    {SeedBand::kMinMax, "min-max", "minimum to maximum"},
    {SeedBand::kStdDev, "sd", "± standard deviation"},
    {SeedBand::kStdErr, "se", "± standard error"},
    {SeedBand::kT95, "t95", "95 % t-interval of the mean"},
}};

const BandName& row_of(SeedBand band) {
    for (const BandName& row : kBandNames)
        if (row.band == band) return row;
    CHECK(false, "unknown band");
}

/// t(0.975, 1 … 30), Abramowitz and Stegun 26.10.
constexpr std::array kT975 = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                              2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                              2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                              2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};

}  // namespace

std::string name_of(SeedBand band) {
    return row_of(band).name;
}

std::string describe(SeedBand band) {
    return row_of(band).text;
}

SeedBand parse_seed_band(const std::string& text) {
    std::vector<std::string> names;
    for (const BandName& row : kBandNames) {
        if (text == row.name) return row.band;
        names.emplace_back(row.name);
    }
    throw UserError("\"" + text + "\" is not a band over seeds" + suggestion(text, names));
}

double t_quantile_975(int degrees) {
    CHECK(degrees >= 1, "the t distribution needs a degree of freedom");
    if (degrees <= static_cast<int>(kT975.size())) return kT975[static_cast<size_t>(degrees) - 1];
    // Expansion about the normal quantile, Abramowitz and Stegun 26.7.5.
    const double z = 1.959963985, n = degrees;
    return z + (std::pow(z, 3) + z) / (4 * n) +
           (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

Spread spread_of(std::span<const double> values, SeedBand band) {
    CHECK(!values.empty(), "a spread needs a value");
    const auto n = static_cast<double>(values.size());
    double sum = 0, squares = 0;
    for (const double value : values) sum += value;
    Spread result;
    result.mean = sum / n;
    if (std::isnan(result.mean)) return {result.mean, result.mean, result.mean};
    if (band == SeedBand::kMinMax) {
        const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
        return {result.mean, *least, *greatest};
    }
    for (const double value : values) squares += (value - result.mean) * (value - result.mean);
    double half = std::numeric_limits<double>::quiet_NaN();
    if (values.size() > 1) half = std::sqrt(squares / (n - 1));
    if (band != SeedBand::kStdDev) half /= std::sqrt(n);
    if (band == SeedBand::kT95 && values.size() > 1)
        half *= t_quantile_975(static_cast<int>(n) - 1);
    result.lower = result.mean - half;
    result.upper = result.mean + half;
    return result;
}

}  // namespace headroom
