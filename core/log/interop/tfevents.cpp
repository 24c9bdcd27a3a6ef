#include "core/log/interop/tfevents.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"

namespace headroom {
namespace {

/// CRC-32C (Castagnoli), reflected polynomial 0x82f63b78.
uint32_t crc32c(std::string_view bytes) {
    static const auto table = [] {
        std::array<uint32_t, 256> entries{};
        for (uint32_t i = 0; i < 256; ++i) {
            uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = value & 1 ? value >> 1 ^ 0x82f63b78u : value >> 1;
            entries[i] = value;
        }
        return entries;
    }();
    uint32_t crc = 0xffffffffu;
    for (const char byte : bytes)
        crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xffu];
    return ~crc;
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

/// One field of a protocol buffer.
struct ProtoField {
    uint32_t number = 0;
    uint64_t integer = 0;    ///< of a varint, or the bits of a fixed number
    std::string_view bytes;  ///< of a text or message
    bool is_bytes = false;

    double as_double() const {
        double value = 0;
        std::memcpy(&value, &integer, sizeof value);
        return value;
    }
    float as_float() const {
        const auto bits = static_cast<uint32_t>(integer);
        float value = 0;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
};

/// Walks over the fields of a message. Ends at the first that is broken.
class ProtoReader {
  public:
    explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}

    std::optional<ProtoField> next() {
        const std::optional<uint64_t> key = varint();
        if (!key) return std::nullopt;
        ProtoField field;
        field.number = static_cast<uint32_t>(*key >> 3);
        switch (*key & 7u) {
            case 0: {
                const std::optional<uint64_t> value = varint();
                if (!value) return std::nullopt;
                field.integer = *value;
                return field;
            }
            case 1:
                return fixed<uint64_t>(field);
            case 5:
                return fixed<uint32_t>(field);
            case 2: {
                const std::optional<uint64_t> size = varint();
                if (!size || *size > rest_.size()) return std::nullopt;
                field.is_bytes = true;
                field.bytes = rest_.substr(0, *size);
                rest_.remove_prefix(*size);
                return field;
            }
            default:
                return std::nullopt;
        }
    }

  private:
    std::optional<uint64_t> varint() {
        uint64_t value = 0;
        for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            value |= static_cast<uint64_t>(byte & 0x7fu) << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    }

    template <class T>
    std::optional<ProtoField> fixed(ProtoField field) {
        if (rest_.size() < sizeof(T)) return std::nullopt;
        field.integer = little_endian<T>(rest_);
        rest_.remove_prefix(sizeof(T));
        return field;
    }

    std::string_view rest_;
};

/// TensorProto: one float or double, as float_val, double_val or tensor_content.
std::optional<double> number_of_tensor(std::string_view bytes) {
    constexpr uint64_t kFloat = 1, kDouble = 2;
    uint64_t dtype = 0;
    std::string_view content;
    std::optional<double> listed;
    ProtoReader reader(bytes);
    while (const auto field = reader.next()) {
        if (field->number == 1 && !field->is_bytes) dtype = field->integer;
        if (field->number == 4 && field->is_bytes) content = field->bytes;
        if (field->number == 5)  // packed or not
            listed = !field->is_bytes           ? field->as_float()
                     : field->bytes.size() == 4 ? little_endian<float>(field->bytes)
                                                : listed;
        if (field->number == 6)
            listed = !field->is_bytes           ? field->as_double()
                     : field->bytes.size() == 8 ? little_endian<double>(field->bytes)
                                                : listed;
    }
    if (listed) return listed;
    if (dtype == kFloat && content.size() == 4) return little_endian<float>(content);
    if (dtype == kDouble && content.size() == 8) return little_endian<double>(content);
    return std::nullopt;
}

/// Summary.Value
void add_value(std::string_view bytes, ForeignPoint point, ForeignLog& log) {
    std::string tag;
    std::optional<double> number;
    ProtoReader reader(bytes);
    while (const auto field = reader.next()) {
        if (field->number == 1 && field->is_bytes) tag = field->bytes;
        if (field->number == 2 && !field->is_bytes) number = field->as_float();
        if (field->number == 8 && field->is_bytes) number = number_of_tensor(field->bytes);
    }
    if (tag.empty() || !number) return;
    point.value = *number;
    log.add(tag, point);
}

void add_event(std::string_view bytes, ForeignLog& log) {
    ForeignPoint point;
    std::vector<std::string_view> summaries;
    ProtoReader reader(bytes);
    while (const auto field = reader.next()) {
        if (field->number == 1) point.wall_time = field->as_double();
        if (field->number == 2) point.step = static_cast<int64_t>(field->integer);
        if (field->number == 5 && field->is_bytes) summaries.push_back(field->bytes);
    }
    for (const std::string_view summary : summaries) {
        ProtoReader values(summary);
        while (const auto field = values.next())
            if (field->number == 1 && field->is_bytes) add_value(field->bytes, point, log);
    }
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
        add_event(event, log);
        rest.remove_prefix(kHead + length + kTail);
    }
}

ForeignLog read_tensorboard_folder(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.is_regular_file() &&
            entry.path().filename().string().find("tfevents") != std::string::npos)
            files.push_back(entry.path());
    if (files.empty())
        throw UserError(folder.string() + " holds no event file of TensorBoard",
                        "name the folder of one run, with files such as events.out.tfevents.…");
    std::sort(files.begin(), files.end());
    ForeignLog log;
    for (const std::filesystem::path& file : files)
        read_tfevents(read_text(file), file.string(), log);
    return log;
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
