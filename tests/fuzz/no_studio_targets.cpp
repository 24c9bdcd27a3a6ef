#include "tests/fuzz/studio_targets.h"

namespace headroom {

std::vector<FuzzTarget> studio_targets() {
    return {};
}

}  // namespace headroom
