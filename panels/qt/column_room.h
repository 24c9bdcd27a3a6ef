#pragma once

#include <set>
#include <span>

namespace headroom {

/// Columns of these widths that have to go so that the rest fit into `room`, the first of
/// `dispensable` first: a table shows a column whole or not at all, and tells elsewhere what is in
/// those that it has no room for.
std::set<int> columns_without_room(std::span<const int> widths, std::span<const int> dispensable,
                                   int room);

}  // namespace headroom
