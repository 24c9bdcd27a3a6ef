#include "app/stored_type_option.h"

#include "app/dtype_option.h"

namespace headroom {

std::optional<StoredType> stored_type_option(const std::string& text) {
    if (text == "keep") return std::nullopt;
    return stored_type_of(dtype_option("--dtype", text, kHeldTypes, "hold weights", "keep"));
}

}  // namespace headroom
