#include <algorithm>
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

uint64_t byte_count(const TensorPlan& tensor) {
    uint64_t bytes = size_of(tensor.type);
    for (const int64_t size : tensor.shape) bytes *= static_cast<uint64_t>(size);
    return bytes;
}

/// Wider types first, so that every tensor is aligned to its element.
std::vector<size_t> file_order(std::span<const TensorPlan> plan) {
    std::vector<size_t> order;
    std::set<std::string_view> names;
    for (size_t i = 0; i < plan.size(); ++i) {
        CHECK(names.insert(plan[i].name).second && plan[i].name != "__metadata__",
              "tensor name used twice: " + plan[i].name);
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return size_of(plan[a].type) > size_of(plan[b].type);
    });
    return order;
}

/// The JSON text, padded with spaces so that the data begin at a multiple of 8.
std::string header_text(const std::map<std::string, std::string, std::less<>>& metadata,
                        std::span<const TensorPlan> plan, const std::vector<size_t>& order) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    uint64_t offset = 0;
    for (const size_t i : order) {
        const uint64_t bytes = byte_count(plan[i]);
        header[plan[i].name] = {{"dtype", name_of(plan[i].type)},
                                {"shape", plan[i].shape},
                                {"data_offsets", {offset, offset + bytes}}};
        offset += bytes;
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
                       std::span<const TensorPlan> plan,
                       const std::function<std::span<const std::byte>(size_t)>& bytes_of) {
    const std::vector<size_t> order = file_order(plan);
    const std::string header = header_text(metadata, plan, order);
    uint64_t total = sizeof(uint64_t) + header.size();
    for (const TensorPlan& tensor : plan) total += byte_count(tensor);

    AtomicFile file(path, total);
    const uint64_t header_bytes = header.size();
    file.write(std::as_bytes(std::span(&header_bytes, 1)));
    file.write(header);
    for (const size_t i : order) {
        const std::span<const std::byte> bytes = bytes_of(i);
        CHECK(bytes.size() == byte_count(plan[i]), "wrong size of tensor " + plan[i].name);
        file.write(bytes);
    }
    file.commit();
}

void write_safetensors(const std::filesystem::path& path,
                       const std::map<std::string, std::string, std::less<>>& metadata,
                       std::span<const TensorToWrite> tensors) {
    std::vector<TensorPlan> plan;
    for (const TensorToWrite& tensor : tensors)
        plan.push_back({tensor.name, tensor.type, tensor.shape});
    write_safetensors(path, metadata, plan, [&](size_t i) { return tensors[i].data; });
}

}  // namespace headroom
