#include "tests/support/places.h"

namespace headroom {

std::filesystem::path source_tree() {
    return HEADROOM_SOURCE_TREE;
}

std::string built_program(const std::string& name) {
    return std::filesystem::path(HEADROOM_BUILT_PROGRAMS) / name;
}

}  // namespace headroom
