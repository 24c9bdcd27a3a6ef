#include "core/log/interop/foreign_log.h"

namespace headroom {

void ForeignLog::add(const std::string& name, const ForeignPoint& point) {
    std::vector<ForeignPoint>& points = scalars[name];
    while (!points.empty() && points.back().step >= point.step) points.pop_back();
    points.push_back(point);
}

}  // namespace headroom
