#include "app/dtype_option.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

/// "f32, f64 or bf16".
std::string list_of(std::span<const DType> known, const std::string& also) {
    std::string list = also;
    for (const DType dtype : known) {
        const bool is_last = dtype == known.back();
        list += fmt::format("{}{}", list.empty() ? "" : is_last ? " or " : ", ", short_name(dtype));
    }
    return list;
}

}  // namespace

DType dtype_option(const std::string& option, const std::string& text, std::span<const DType> known,
                   const std::string& use, const std::string& also) {
    const std::optional<DType> dtype = find_dtype(text);
    const std::string hint = "use " + list_of(known, also);
    if (!dtype) throw UserError(fmt::format("{} {} is no number type", option, text), hint);
    if (std::find(known.begin(), known.end(), *dtype) == known.end())
        throw UserError(fmt::format("{} {} cannot {}", option, text, use), hint);
    return *dtype;
}

DType computed_type_option(const std::string& option, const std::string& text) {
    return dtype_option(option, text, kComputedTypes, "be computed in");
}

}  // namespace headroom
