#include <algorithm>
#include <cstring>
#include <set>
#include <type_traits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/checkpoint/safetensors.h"

namespace headroom {
namespace {

template <class T>
constexpr StoredType stored_type() {
    if constexpr (std::is_same_v<T, float>) return StoredType::kF32;
    if constexpr (std::is_same_v<T, double>) return StoredType::kF64;
    if constexpr (std::is_same_v<T, bf16>) return StoredType::kBF16;
    if constexpr (std::is_same_v<T, int32_t>) return StoredType::kI32;
    if constexpr (std::is_same_v<T, int64_t>) return StoredType::kI64;
    if constexpr (std::is_same_v<T, uint8_t>) return StoredType::kU8;
}

uint64_t expected_bytes(const TensorToWrite& tensor) {
    uint64_t bytes = size_of(tensor.type);
    for (const int64_t size : tensor.shape) bytes *= static_cast<uint64_t>(size);
    return bytes;
}

/// Wider types first, so that every tensor is aligned to its element.
std::vector<const TensorToWrite*> in_file_order(std::span<const TensorToWrite> tensors) {
    std::vector<const TensorToWrite*> order;
    std::set<std::string_view> names;
    for (const TensorToWrite& tensor : tensors) {
        CHECK(names.insert(tensor.name).second && tensor.name != "__metadata__",
              "tensor name used twice: " + tensor.name);
        CHECK(tensor.data.size() == expected_bytes(tensor), "wrong size of tensor " + tensor.name);
        order.push_back(&tensor);
    }
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return size_of(a->type) > size_of(b->type);
    });
    return order;
}

/// The JSON text, padded with spaces so that the data begin at a multiple of 8.
std::string header_text(const std::map<std::string, std::string, std::less<>>& metadata,
                        const std::vector<const TensorToWrite*>& order) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    uint64_t offset = 0;
    for (const TensorToWrite* tensor : order) {
        header[tensor->name] = {{"dtype", name_of(tensor->type)},
                                {"shape", tensor->shape},
                                {"data_offsets", {offset, offset + tensor->data.size()}}};
        offset += tensor->data.size();
    }
    std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    return text;
}

}  // namespace

template <class T>
TensorToWrite tensor_to_write(std::string name, std::vector<int64_t> shape,
                              std::span<const T> data) {
    return {std::move(name), stored_type<T>(), std::move(shape), std::as_bytes(data)};
}
template TensorToWrite tensor_to_write(std::string, std::vector<int64_t>, std::span<const float>);
template TensorToWrite tensor_to_write(std::string, std::vector<int64_t>, std::span<const double>);
template TensorToWrite tensor_to_write(std::string, std::vector<int64_t>, std::span<const bf16>);
template TensorToWrite tensor_to_write(std::string, std::vector<int64_t>, std::span<const int32_t>);
template TensorToWrite tensor_to_write(std::string, std::vector<int64_t>, std::span<const int64_t>);
template TensorToWrite tensor_to_write(std::string, std::vector<int64_t>, std::span<const uint8_t>);

void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, std::string, std::less<>>& metadata,
                       std::span<const TensorToWrite> tensors) {
    const std::vector<const TensorToWrite*> order = in_file_order(tensors);
    const std::string header = header_text(metadata, order);
    uint64_t total = sizeof(uint64_t) + header.size();
    for (const TensorToWrite* tensor : order) total += tensor->data.size();

    AtomicFile file(path, total);
    const uint64_t header_bytes = header.size();
    file.write(std::as_bytes(std::span(&header_bytes, 1)));
    file.write(header);
    for (const TensorToWrite* tensor : order) file.write(tensor->data);
    file.commit();
}

}  // namespace headroom
