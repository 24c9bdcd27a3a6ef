#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/safetensors_header.h"

namespace headroom {
namespace {

struct StoredRow {
    StoredType type;
    size_t bytes;
    std::string_view name;
};

constexpr std::array<StoredRow, 13> kStoredRows{{
    {StoredType::kF64, 8, "F64"},
    {StoredType::kF32, 4, "F32"},
    {StoredType::kBF16, 2, "BF16"},
    {StoredType::kF16, 2, "F16"},
    {StoredType::kI64, 8, "I64"},
    {StoredType::kI32, 4, "I32"},
    {StoredType::kI16, 2, "I16"},
    {StoredType::kI8, 1, "I8"},
    {StoredType::kU64, 8, "U64"},
    {StoredType::kU32, 4, "U32"},
    {StoredType::kU16, 2, "U16"},
    {StoredType::kU8, 1, "U8"},
    {StoredType::kBool, 1, "BOOL"},
}};

const StoredRow& row_of(StoredType type) {
    const auto row = std::find_if(kStoredRows.begin(), kStoredRows.end(),
                                  [type](const StoredRow& r) { return r.type == type; });
    CHECK(row != kStoredRows.end(), "unknown stored type");
    return *row;
}

}  // namespace

std::string_view name_of(StoredType type) {
    return row_of(type).name;
}

size_t size_of(StoredType type) {
    return row_of(type).bytes;
}

bool is_floating(StoredType type) {
    return type == StoredType::kF64 || type == StoredType::kF32 || type == StoredType::kBF16 ||
           type == StoredType::kF16;
}

StoredType stored_type_of(DType dtype) {
    switch (dtype) {
        case DType::kF32:
            return StoredType::kF32;
        case DType::kF64:
            return StoredType::kF64;
        case DType::kBF16:
            return StoredType::kBF16;
        case DType::kF16:
            return StoredType::kF16;
        case DType::kI32:
            return StoredType::kI32;
        case DType::kU8:
            return StoredType::kU8;
    }
    CHECK(false, "unknown dtype");
}

std::optional<StoredType> parse_stored_type(std::string_view name) {
    for (const StoredRow& row : kStoredRows)
        if (row.name == name) return row.type;
    return std::nullopt;
}

}  // namespace headroom
