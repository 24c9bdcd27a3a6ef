#include "panels/memory/what_if_settings.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

constexpr double kStepsPerDoubling = 4;

}  // namespace

int LogScale::last() const {
    const double doublings = std::log2(static_cast<double>(most) / static_cast<double>(least));
    return 1 + static_cast<int>(std::lround(kStepsPerDoubling * doublings));
}

int64_t LogScale::value(int position) const {
    if (position <= 0) return zero;
    const double exact = static_cast<double>(least) * std::exp2((position - 1) / kStepsPerDoubling);
    return std::clamp<int64_t>(std::llround(exact), least, most);
}

int LogScale::position(int64_t value) const {
    if (value <= zero) return 0;
    const double doublings = std::log2(static_cast<double>(value) / static_cast<double>(least));
    return std::clamp(1 + static_cast<int>(std::lround(kStepsPerDoubling * doublings)), 1, last());
}

}  // namespace headroom
