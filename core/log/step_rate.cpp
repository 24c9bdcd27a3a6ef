#include "core/log/step_rate.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/stats/median.h"

namespace headroom {
namespace {

/// Not as whole numbers: of a damaged log their difference may be none.
double growth(const SharedColumn<int64_t>& column, size_t from, size_t to) {
    return static_cast<double>(column[to]) - static_cast<double>(column[from]);
}

}  // namespace

std::optional<StepRate> median_step_rate(const TrainSeries& train, size_t most_rows) {
    const size_t rows = std::min({train.step.size(), train.tokens.size(), train.seconds.size()});
    std::vector<double> seconds, rates;
    // From the last row whose time was another: clocks of whole seconds stand still in between.
    size_t before = rows - std::min(rows, most_rows);
    for (size_t i = before + 1; i < rows; ++i) {
        const double passed = train.seconds[i] - train.seconds[before];
        const double steps = growth(train.step, before, i);
        if (passed == 0) continue;
        if (passed > 0 && steps > 0) {
            seconds.push_back(passed / steps);
            rates.push_back(growth(train.tokens, before, i) / passed);
        }
        before = i;
    }
    if (seconds.empty()) return std::nullopt;
    return StepRate{median(std::move(seconds)), median(std::move(rates))};
}

}  // namespace headroom
