#include "core/log/run_series.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/name_char.h"

namespace headroom {
namespace {

/// Index of the first value beyond `last`.
template <class T>
size_t rows_until(const SharedColumn<T>& values, T last) {
    const auto beyond = [last](T value) { return value > last; };
    return static_cast<size_t>(std::find_if(values.begin(), values.end(), beyond) - values.begin());
}

}  // namespace

std::string_view name_of(RunState state) {
    switch (state) {
        case RunState::kStarting:
            return "starting";
        case RunState::kRunning:
            return "running";
        case RunState::kPaused:
            return "paused";
        case RunState::kFinished:
            return "finished";
        case RunState::kFailed:
            return "failed";
        case RunState::kStopped:
            return "stopped";
        case RunState::kDiverged:
            return "diverged";
    }
    CHECK(false, "unknown run state");
}

bool is_final(RunState state) {
    return state == RunState::kFinished || state == RunState::kFailed ||
           state == RunState::kStopped || state == RunState::kDiverged;
}

bool is_scalar_name(std::string_view name) {
    constexpr size_t kLongest = 64;
    return !name.empty() && name.size() <= kLongest && name.front() != '.' &&
           std::all_of(name.begin(), name.end(), is_name_char);
}

void keep_rows_until(RunSeries& series, int64_t last_step) {
    const auto shorten_to = [](size_t rows) {
        return [rows](const char*, auto& values, const char*) {
            if (values.size() > rows) values.resize(rows);
        };
    };
    visit_train_columns(series.train, shorten_to(rows_until(series.train.step, last_step)));
    visit_val_columns(series.val, shorten_to(rows_until(series.val.step, last_step)));
    for (auto& [name, scalar] : series.scalars)
        visit_scalar_columns(scalar, shorten_to(rows_until(scalar.step, last_step)));
    const double seconds = series.train.seconds.empty() ? 0.0 : series.train.seconds.back();
    visit_system_columns(series.system, shorten_to(rows_until(series.system.seconds, seconds)));
}

}  // namespace headroom
