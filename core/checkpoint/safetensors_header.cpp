#include "core/checkpoint/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

static_assert(std::endian::native == std::endian::little, "stored tensors are little-endian");

namespace headroom {
namespace {

constexpr size_t kLengthBytes = 8;
/// As in the format's reference implementation.
constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kMaxRank = 32;

/// One entry of the header as it is written there.
struct RawTensor {
    std::string dtype;
    std::vector<uint64_t> shape, offsets;
    bool has_dtype = false, has_shape = false, has_offsets = false;
};

/// Takes the header apart while it is parsed, so that nothing but what the format allows is ever
/// built: no deep nesting, no duplicate keys, no other values. Stops with `problem` set.
class HeaderHandler : public nlohmann::json_sax<nlohmann::json> {
  public:
    std::map<std::string, RawTensor, std::less<>> tensors;
    std::map<std::string, std::string, std::less<>> metadata;
    std::string problem;

    bool null() override { return refuse("null"); }
    bool boolean(bool) override { return refuse("true or false"); }
    bool number_integer(number_integer_t value) override {
        return refuse(fmt::format("the number {}", value));
    }
    bool number_float(number_float_t, const string_t& text) override {
        return refuse("the number " + text);
    }
    bool binary(binary_t&) override { return refuse("binary data"); }

    bool number_unsigned(number_unsigned_t value) override {
        if (level_ != Level::kList) return refuse(fmt::format("the number {}", value));
        if (list_->size() >= kMaxRank) return stop("a list is too long");
        list_->push_back(value);
        return true;
    }

    bool string(string_t& text) override {
        if (level_ == Level::kMetadata) {
            metadata[key_] = std::move(text);
            return true;
        }
        if (level_ != Level::kTensor || key_ != "dtype") return refuse("text");
        tensor_->dtype = std::move(text);
        return true;
    }

    bool start_object(std::size_t) override {
        if (level_ == Level::kOutside) {
            level_ = Level::kTop;
        } else if (level_ == Level::kTop) {
            level_ = key_ == "__metadata__" ? Level::kMetadata : Level::kTensor;
        } else {
            return refuse("an object");
        }
        return true;
    }

    bool end_object() override {
        if (level_ == Level::kTensor &&
            !(tensor_->has_dtype && tensor_->has_shape && tensor_->has_offsets))
            return stop(fmt::format("tensor \"{}\" lacks dtype, shape or data_offsets", name_));
        level_ = level_ == Level::kTop ? Level::kOutside : Level::kTop;
        return true;
    }

    bool start_array(std::size_t) override {
        if (level_ != Level::kTensor || (key_ != "shape" && key_ != "data_offsets"))
            return refuse("a list");
        list_ = key_ == "shape" ? &tensor_->shape : &tensor_->offsets;
        level_ = Level::kList;
        return true;
    }

    bool end_array() override {
        level_ = Level::kTensor;
        return true;
    }

    bool key(string_t& text) override {
        key_ = std::move(text);
        if (level_ == Level::kMetadata)
            return metadata.emplace(key_, "").second || stop_at_duplicate();
        if (level_ == Level::kTensor) return mark_tensor_key();
        name_ = key_;
        if (key_ == "__metadata__") {
            if (has_metadata_) return stop_at_duplicate();
            has_metadata_ = true;
            return true;
        }
        const auto [entry, is_new] = tensors.try_emplace(key_);
        tensor_ = &entry->second;
        return is_new || stop_at_duplicate();
    }

    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::json::exception&) override {
        return stop(fmt::format("its header is not JSON (at byte {})", position));
    }

  private:
    enum class Level { kOutside, kTop, kMetadata, kTensor, kList };

    bool stop(std::string text) {
        problem = std::move(text);
        return false;
    }
    bool stop_at_duplicate() { return stop(fmt::format("\"{}\" stands in it twice", key_)); }
    bool refuse(const std::string& what) {
        if (level_ == Level::kOutside) return stop("its header is not an object");
        return stop(fmt::format("{} cannot stand at \"{}\"{}", what, name_,
                                level_ == Level::kTop ? "" : fmt::format(" in \"{}\"", key_)));
    }
    bool mark_tensor_key() {
        bool* seen = key_ == "dtype"          ? &tensor_->has_dtype
                     : key_ == "shape"        ? &tensor_->has_shape
                     : key_ == "data_offsets" ? &tensor_->has_offsets
                                              : nullptr;
        if (seen == nullptr)
            return stop(fmt::format("tensor \"{}\" has an unknown entry \"{}\"", name_, key_));
        if (*seen) return stop_at_duplicate();
        return *seen = true;
    }

    Level level_ = Level::kOutside;
    std::string key_, name_;
    RawTensor* tensor_ = nullptr;
    std::vector<uint64_t>* list_ = nullptr;
    bool has_metadata_ = false;
};

/// `problem` quotes names from the file, so it is kept to one line of reasonable length.
[[noreturn]] void refuse_file(const std::string& file, std::string problem) {
    constexpr size_t kLongest = 300;
    if (problem.size() > kLongest) problem = problem.substr(0, kLongest) + "...";
    for (char& c : problem)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    throw UserError(fmt::format("{} is not a readable safetensors file: {}", file, problem),
                    "get a complete copy of it");
}

/// Shape times element size; none if that does not fit.
std::optional<uint64_t> byte_count(const std::vector<uint64_t>& shape, size_t element_bytes) {
    constexpr auto kLimit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    uint64_t bytes = element_bytes;
    for (const uint64_t size : shape) {
        if (size > kLimit || __builtin_mul_overflow(bytes, size, &bytes) || bytes > kLimit)
            return std::nullopt;
    }
    return bytes;
}

TensorInfo checked_tensor(const std::string& name, const RawTensor& raw, uint64_t data_begin,
                          uint64_t data_bytes, const std::string& file) {
    const std::optional<StoredType> type = parse_stored_type(raw.dtype);
    if (!type)
        refuse_file(file, fmt::format("tensor \"{}\" has the unknown type \"{}\"", name,
                                      raw.dtype.substr(0, 20)));
    const std::optional<uint64_t> bytes = byte_count(raw.shape, size_of(*type));
    if (!bytes) refuse_file(file, fmt::format("tensor \"{}\" has an impossible shape", name));
    if (raw.offsets.size() != 2 || raw.offsets[0] > raw.offsets[1] || raw.offsets[1] > data_bytes)
        refuse_file(file, fmt::format("the data_offsets of tensor \"{}\" lie outside its {} bytes "
                                      "of data; it may be cut short",
                                      name, data_bytes));
    if (raw.offsets[1] - raw.offsets[0] != *bytes)
        refuse_file(file, fmt::format("tensor \"{}\" should take {} bytes by its shape but has {}",
                                      name, *bytes, raw.offsets[1] - raw.offsets[0]));
    TensorInfo info;
    info.type = *type;
    info.shape.assign(raw.shape.begin(), raw.shape.end());
    info.begin = data_begin + raw.offsets[0];
    info.bytes = *bytes;
    return info;
}

/// Sorts the names by the place of their data and refuses holes, overlaps and what is left over.
std::vector<std::string> names_in_order(const SafetensorsHeader& header, uint64_t data_begin,
                                        uint64_t file_bytes, const std::string& file) {
    std::vector<std::pair<uint64_t, const std::string*>> order;
    for (const auto& [name, info] : header.tensors) order.emplace_back(info.begin, &name);
    // An empty tensor comes before the one that begins at the same place.
    std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return std::tuple(a.first, header.tensors.at(*a.second).bytes, *a.second) <
               std::tuple(b.first, header.tensors.at(*b.second).bytes, *b.second);
    });
    std::vector<std::string> names;
    uint64_t end = data_begin;
    for (const auto& [begin, name] : order) {
        if (begin != end)
            refuse_file(file, fmt::format("the data of tensor \"{}\" {}", *name,
                                          begin < end ? "overlap another's" : "follow a hole"));
        end = begin + header.tensors.at(*name).bytes;
        names.push_back(*name);
    }
    if (end != file_bytes)
        refuse_file(file, fmt::format("{} bytes at its end belong to no tensor", file_bytes - end));
    return names;
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> bytes,
                                           const std::string& file) {
    uint64_t header_bytes = 0;
    if (bytes.size() < kLengthBytes) refuse_file(file, "it is too short for a header");
    std::memcpy(&header_bytes, bytes.data(), kLengthBytes);
    if (header_bytes > kMaxHeaderBytes || header_bytes > bytes.size() - kLengthBytes)
        refuse_file(file, fmt::format("its header claims {} bytes of a file of {}; it may be cut "
                                      "short or of another format",
                                      header_bytes, bytes.size()));
    const char* text = reinterpret_cast<const char*>(bytes.data()) + kLengthBytes;
    HeaderHandler handler;
    if (!nlohmann::json::sax_parse(text, text + header_bytes, &handler))
        refuse_file(file, handler.problem);

    SafetensorsHeader header;
    const uint64_t data_begin = kLengthBytes + header_bytes;
    for (const auto& [name, raw] : handler.tensors)
        header.tensors.emplace(
            name, checked_tensor(name, raw, data_begin, bytes.size() - data_begin, file));
    header.names = names_in_order(header, data_begin, bytes.size(), file);
    header.metadata = std::move(handler.metadata);
    return header;
}

}  // namespace headroom
