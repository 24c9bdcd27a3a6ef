#include "core/base/dtype.h"

#include <array>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

struct Row {
    DType dtype;
    size_t bytes;
    std::string_view name, short_name;
};

constexpr std::array<Row, 6> kRows{{
    {DType::kF32, 4, "float32", "f32"},
    {DType::kF64, 8, "float64", "f64"},
    {DType::kBF16, 2, "bfloat16", "bf16"},
    {DType::kF16, 2, "float16", "f16"},
    {DType::kI32, 4, "int32", "i32"},
    {DType::kU8, 1, "uint8", "u8"},
}};

const Row& row_of(DType dtype) {
    for (const Row& row : kRows)
        if (row.dtype == dtype) return row;
    CHECK(false, "unknown dtype");
}

}  // namespace

size_t size_of(DType dtype) {
    return row_of(dtype).bytes;
}

std::string_view name_of(DType dtype) {
    return row_of(dtype).name;
}

std::string_view short_name(DType dtype) {
    return row_of(dtype).short_name;
}

std::optional<DType> find_dtype(std::string_view text) {
    for (const Row& row : kRows)
        if (text == row.name || text == row.short_name) return row.dtype;
    return std::nullopt;
}

DType parse_dtype(std::string_view text) {
    if (const std::optional<DType> dtype = find_dtype(text)) return *dtype;
    throw UserError(fmt::format("\"{}\" is not a number type", text),
                    "use float32, float64, bfloat16 or float16");
}

}  // namespace headroom
