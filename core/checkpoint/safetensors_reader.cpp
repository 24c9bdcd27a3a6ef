#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/base/bf16.h"
#include "core/base/error.h"
#include "core/base/f16.h"
#include "core/base/nearest.h"
#include "core/checkpoint/safetensors.h"
#include "core/checkpoint/safetensors_header.h"

namespace headroom {
namespace {

/// Converts elements of type From, which may lie unaligned, to T. False if a value does not fit.
template <class From, class T>
bool convert(std::span<const std::byte> bytes, std::span<T> out) {
    if constexpr (std::is_same_v<From, T>) {
        if (!out.empty()) std::memcpy(out.data(), bytes.data(), out.size_bytes());
        return true;
    }
    for (size_t i = 0; i < out.size(); ++i) {
        From value;
        std::memcpy(&value, bytes.data() + i * sizeof(From), sizeof(From));
        if constexpr (std::is_integral_v<From> && std::is_integral_v<T>)
            if (!std::in_range<T>(value)) return false;
        out[i] = static_cast<T>(value);  // NOLINT(bugprone-signed-char-misuse): a number
    }
    return true;
}

/// Calls use(std::type_identity<element type>) and returns its result; false if T does not read it.
template <class T, class Use>
bool with_readable_type(StoredType type, Use&& use) {
    if constexpr (std::is_floating_point_v<T>) {
        switch (type) {
            case StoredType::kF64:
                return use(std::type_identity<double>());
            case StoredType::kF32:
                return use(std::type_identity<float>());
            case StoredType::kBF16:
                return use(std::type_identity<bf16>());
            case StoredType::kF16:
                return use(std::type_identity<f16>());
            default:
                return false;
        }
    } else {
        switch (type) {
            case StoredType::kI64:
                return use(std::type_identity<int64_t>());
            case StoredType::kI32:
                return use(std::type_identity<int32_t>());
            case StoredType::kI16:
                return use(std::type_identity<int16_t>());
            case StoredType::kI8:
                return use(std::type_identity<int8_t>());
            case StoredType::kU64:
                return use(std::type_identity<uint64_t>());
            case StoredType::kU32:
                return use(std::type_identity<uint32_t>());
            case StoredType::kU16:
                return use(std::type_identity<uint16_t>());
            case StoredType::kU8:
            case StoredType::kBool:
                return use(std::type_identity<uint8_t>());
            default:
                return false;
        }
    }
}

}  // namespace

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path) {
    SafetensorsFile result;
    result.file_ = MmapFile::open(path);
    SafetensorsHeader header = parse_safetensors_header(result.file_.bytes(), path.string());
    result.names_ = std::move(header.names);
    result.tensors_ = std::move(header.tensors);
    result.metadata_ = std::move(header.metadata);
    return result;
}

bool SafetensorsFile::has(std::string_view name) const {
    return tensors_.contains(name);
}

const TensorInfo& SafetensorsFile::info(std::string_view name) const {
    const auto found = tensors_.find(name);
    if (found != tensors_.end()) return found->second;
    const std::string near = nearest(name, names_);
    throw UserError(fmt::format("{} has no tensor \"{}\"", path().string(), name),
                    near.empty() ? "check that it is of the right model"
                                 : fmt::format("the nearest name in it is \"{}\"", near));
}

std::span<const std::byte> SafetensorsFile::raw(std::string_view name) const {
    const TensorInfo& tensor = info(name);
    return file_.bytes().subspan(tensor.begin, tensor.bytes);
}

template <class T>
void SafetensorsFile::read_into(std::string_view name, std::span<T> out) const {
    const TensorInfo& tensor = info(name);
    if (tensor.element_count() != static_cast<int64_t>(out.size()))
        throw UserError(fmt::format("tensor \"{}\" of {} has {} values, not {}", name,
                                    path().string(), tensor.element_count(), out.size()),
                        "check that it is of the right model");
    const std::span<const std::byte> bytes = raw(name);
    const bool done = with_readable_type<T>(tensor.type, [&]<class From>(std::type_identity<From>) {
        return convert<From>(bytes, out);
    });
    if (!done)
        throw UserError(fmt::format("tensor \"{}\" of {} has values of type {} that cannot be read "
                                    "as {}",
                                    name, path().string(), name_of(tensor.type),
                                    std::is_integral_v<T> ? "small integers" : "floating point"),
                        "check that it is of the right model");
}

template <class T>
std::vector<T> SafetensorsFile::read_as(std::string_view name) const {
    std::vector<T> values(static_cast<size_t>(info(name).element_count()));
    read_into<T>(name, values);
    return values;
}

template void SafetensorsFile::read_into(std::string_view, std::span<float>) const;
template void SafetensorsFile::read_into(std::string_view, std::span<double>) const;
template void SafetensorsFile::read_into(std::string_view, std::span<int32_t>) const;
template void SafetensorsFile::read_into(std::string_view, std::span<int64_t>) const;
template std::vector<float> SafetensorsFile::read_as(std::string_view) const;
template std::vector<double> SafetensorsFile::read_as(std::string_view) const;
template std::vector<int32_t> SafetensorsFile::read_as(std::string_view) const;
template std::vector<int64_t> SafetensorsFile::read_as(std::string_view) const;

}  // namespace headroom
