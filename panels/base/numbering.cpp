#include "panels/base/numbering.h"

#include <atomic>

#include "core/base/error.h"

namespace headroom {

static std::atomic<int> base = 0;
static constexpr int kNoScope = -1;
static thread_local int scope = kNoScope;

int numbering_base() {
    return scope == kNoScope ? base.load() : scope;
}

NumberingScope::NumberingScope(int wanted) : before_(scope) {
    CHECK(wanted == 0 || wanted == 1, "counts from 0 or from 1");
    scope = wanted;
}

NumberingScope::~NumberingScope() {
    scope = before_;
}

void set_numbering_base(int wanted) {
    CHECK(wanted == 0 || wanted == 1, "counts from 0 or from 1");
    base.store(wanted);
}

std::string layer_axis_label() {
    return numbering_base() == 0 ? "layer" : "layer, counted from 0";
}

}  // namespace headroom
