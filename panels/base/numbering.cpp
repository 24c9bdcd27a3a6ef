#include "panels/base/numbering.h"

#include <atomic>

#include "core/base/error.h"

namespace headroom {

static std::atomic<int> base = 0;

int numbering_base() {
    return base.load();
}

void set_numbering_base(int wanted) {
    CHECK(wanted == 0 || wanted == 1, "counts from 0 or from 1");
    base.store(wanted);
}

}  // namespace headroom
