#include "app/stored_type_option.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

std::optional<StoredType> stored_type_option(const std::string& text) {
    if (text == "keep") return std::nullopt;
    const DType dtype = parse_dtype(text);
    if (!is_floating(stored_type_of(dtype)))
        throw UserError(fmt::format("--dtype {} cannot hold weights", text),
                        "use keep, f32, f64, bf16 or f16");
    return stored_type_of(dtype);
}

}  // namespace headroom
