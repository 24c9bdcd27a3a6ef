#include "core/stats/spread.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/stats/distributions.h"

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

/// t(0.975, degrees); those of few seeds are computed once, for a curve asks at every step.
double half_width_factor(int degrees) {
    static const auto few = [] {
        std::array<double, 64> quantiles{};
        for (size_t i = 0; i < quantiles.size(); ++i)
            quantiles[i] = t_quantile(kTwoSidedEnd, static_cast<double>(i) + 1);
        return quantiles;
    }();
    const auto index = static_cast<size_t>(degrees) - 1;
    return index < few.size() ? few[index] : t_quantile(kTwoSidedEnd, degrees);
}

}  // namespace

std::string name_of(SeedBand band) {
    return row_of(band).name;
}

std::string describe(SeedBand band) {
    return row_of(band).text;
}

SeedBand parse_seed_band(const std::string& text) {
    for (const BandName& row : kBandNames)
        if (text == row.name) return row.band;
    throw UserError("\"" + text + "\" is not a band over seeds" +
                    suggestion(text, seed_band_names()));
}

std::vector<std::string> seed_band_names() {
    std::vector<std::string> names;
    for (const BandName& row : kBandNames) names.emplace_back(row.name);
    return names;
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
        half *= half_width_factor(static_cast<int>(n) - 1);
    result.lower = result.mean - half;
    result.upper = result.mean + half;
    return result;
}

}  // namespace headroom
