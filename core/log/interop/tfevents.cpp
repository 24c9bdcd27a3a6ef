#include "core/log/interop/tfevents.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/protobuf.h"
#include "core/log/interop/crc32.h"

namespace headroom {
namespace {

uint32_t crc32c(std::string_view bytes) {
    return crc32(Crc32::kCastagnoli, bytes);
}

/// As records store it: rotated and moved, so that a checksum of checksums stays one.
uint32_t masked(uint32_t crc) {
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

template <class T>
T little_endian(std::string_view bytes) {
    T value{};
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
}

template <class T>
void append(std::string& to, T value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// The last of the floats that field 5 or 6 of a tensor lists; none where it lists several at once.
template <class T>
std::optional<double> listed_number(const ProtobufReader& field, T (ProtobufReader::*one)() const) {
    if (!field.is_bytes()) return (field.*one)();
    if (field.bytes().size() != sizeof(T)) return std::nullopt;
    return little_endian<T>(field.bytes());
}

/// TensorProto: one float or double, as float_val, double_val or tensor_content.
std::optional<double> number_of_tensor(std::string_view bytes, const std::string& source) {
    constexpr int64_t kFloat = 1, kDouble = 2;
    int64_t dtype = 0;
    std::string_view content;
    std::optional<double> listed;
    for (ProtobufReader tensor(bytes, source); tensor.next();) {
        if (tensor.field() == 1) dtype = tensor.integer();
        if (tensor.field() == 4) content = tensor.bytes();
        if (tensor.field() == 5) listed = listed_number(tensor, &ProtobufReader::float32);
        if (tensor.field() == 6) listed = listed_number(tensor, &ProtobufReader::float64);
    }
    if (listed) return listed;
    if (dtype == kFloat && content.size() == 4) return little_endian<float>(content);
    if (dtype == kDouble && content.size() == 8) return little_endian<double>(content);
    return std::nullopt;
}

/// Summary.Value
void add_value(std::string_view bytes, ForeignPoint point, const std::string& source,
               ForeignLog& log) {
    std::string tag;
    std::optional<double> number;
    for (ProtobufReader value(bytes, source); value.next();) {
        if (value.field() == 1) tag = value.bytes();
        if (value.field() == 2) number = value.float32();
        if (value.field() == 8) number = number_of_tensor(value.bytes(), source);
    }
    if (tag.empty() || !number) return;
    point.value = *number;
    log.add(tag, point);
}

void add_event(std::string_view bytes, const std::string& source, ForeignLog& log) {
    ForeignPoint point;
    std::vector<std::string_view> summaries;
    for (ProtobufReader event(bytes, source); event.next();) {
        if (event.field() == 1) point.wall_time = event.float64();
        if (event.field() == 2) point.step = event.integer();
        if (event.field() == 5) summaries.push_back(event.bytes());
    }
    for (const std::string_view summary : summaries)
        for (ProtobufReader values(summary, source); values.next();)
            if (values.field() == 1) add_value(values.bytes(), point, source, log);
}

void add_varint(std::string& to, uint64_t value) {
    for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
    to.push_back(static_cast<char>(value));
}

void add_bytes(std::string& to, uint32_t number, std::string_view bytes) {
    add_varint(to, number << 3 | 2u);
    add_varint(to, bytes.size());
    to.append(bytes);
}

void add_record(std::string& to, std::string_view event) {
    std::string length;
    append(length, static_cast<uint64_t>(event.size()));
    to += length;
    append(to, masked(crc32c(length)));
    to.append(event);
    append(to, masked(crc32c(event)));
}

std::string event_of(const std::string& tag, const ForeignPoint& point) {
    std::string value, summary, event;
    add_bytes(value, 1, tag);
    add_varint(value, 2u << 3 | 5u);
    append(value, static_cast<float>(point.value));
    add_bytes(summary, 1, value);
    add_varint(event, 1u << 3 | 1u);
    append(event, point.wall_time);
    add_varint(event, 2u << 3);
    add_varint(event, static_cast<uint64_t>(point.step));
    add_bytes(event, 5, summary);
    return event;
}

}  // namespace

void read_tfevents(std::string_view bytes, const std::string& source, ForeignLog& log) {
    constexpr size_t kHead = 12, kTail = 4;
    log.tool = "TensorBoard";
    for (std::string_view rest = bytes; rest.size() >= kHead;) {
        const auto length = little_endian<uint64_t>(rest);
        const bool head_is_whole =
            little_endian<uint32_t>(rest.substr(8)) == masked(crc32c(rest.substr(0, 8)));
        if (!head_is_whole)
            throw UserError(fmt::format("{} is damaged at byte {}, or no event file", source,
                                        bytes.size() - rest.size()),
                            "name a file that TensorBoard opens");
        if (length > rest.size() - kHead || rest.size() - kHead - length < kTail) return;
        const std::string_view event = rest.substr(kHead, length);
        if (little_endian<uint32_t>(rest.substr(kHead + length)) != masked(crc32c(event)))
            throw UserError(
                fmt::format("{} is damaged at byte {}", source, bytes.size() - rest.size() + kHead),
                "copy it again");
        add_event(event, source, log);
        rest.remove_prefix(kHead + length + kTail);
    }
}

std::string make_tfevents(const ForeignLog& log) {
    struct Entry {
        const std::string* tag;
        ForeignPoint point;
    };
    std::vector<Entry> entries;
    for (const auto& [tag, points] : log.scalars)
        for (const ForeignPoint& point : points) entries.push_back({&tag, point});
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.point.step < b.point.step; });
    std::string bytes, first;
    add_varint(first, 1u << 3 | 1u);
    append(first, entries.empty() ? 0.0 : entries.front().point.wall_time);
    add_bytes(first, 3, "brain.Event:2");
    add_record(bytes, first);
    for (const Entry& entry : entries) add_record(bytes, event_of(*entry.tag, entry.point));
    return bytes;
}

}  // namespace headroom
