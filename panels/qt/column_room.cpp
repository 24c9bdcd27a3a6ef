#include "panels/qt/column_room.h"

#include <numeric>

namespace headroom {

std::set<int> columns_without_room(std::span<const int> widths, std::span<const int> dispensable,
                                   int room) {
    int needed = std::accumulate(widths.begin(), widths.end(), 0);
    std::set<int> unseen;
    for (const int column : dispensable) {
        if (needed <= room) break;
        unseen.insert(column);
        needed -= widths[static_cast<size_t>(column)];
    }
    return unseen;
}

}  // namespace headroom
