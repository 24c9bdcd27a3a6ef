#pragma once

#include "core/graph/graph.h"

namespace headroom {

/// Where a layer's router tells what it did: the statistics of Route, [experts + kRouteStats].
struct RouterValue {
    int layer = 0;
    ValueId stats = kNoValue;
};

}  // namespace headroom
