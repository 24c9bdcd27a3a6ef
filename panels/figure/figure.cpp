#include "panels/figure/figure.h"

#include <algorithm>

namespace headroom {

bool Figure::is_empty() const {
    return bars.empty() && std::none_of(series.begin(), series.end(), [](const FigureSeries& line) {
               return line.visible && line.data && !line.data->empty();
           });
}

}  // namespace headroom
