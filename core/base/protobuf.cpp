#include "core/base/protobuf.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

void ProtobufReader::refuse(const char* what) const {
    throw UserError(fmt::format("{}: {}", source_, what), "take the file from its source");
}

uint64_t ProtobufReader::varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) refuse("a message is cut off in a number");
        const auto byte = static_cast<unsigned char>(rest_.front());
        rest_.remove_prefix(1);
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    refuse("a number has more than ten bytes");
}

std::string_view ProtobufReader::take(uint64_t count) {
    if (count > rest_.size()) refuse("a message is cut off");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
}

bool ProtobufReader::next() {
    if (rest_.empty()) return false;
    const uint64_t tag = varint();
    field_ = tag >> 3;
    if (field_ == 0) refuse("a field has the number 0");
    kind_ = static_cast<Kind>(tag & 7);
    if (kind_ == Kind::kInteger) {
        integer_ = varint();
    } else if (kind_ == Kind::kBytes) {
        bytes_ = take(varint());
    } else if (kind_ == Kind::kEight || kind_ == Kind::kFour) {
        bytes_ = take(kind_ == Kind::kEight ? 8 : 4);
    } else {
        refuse("a field is of a kind that is not read");
    }
    return true;
}

void ProtobufReader::require(Kind kind) const {
    if (kind_ != kind) refuse(fmt::format("field {} is of another kind", field_).c_str());
}

int64_t ProtobufReader::integer() const {
    require(Kind::kInteger);
    return static_cast<int64_t>(integer_);
}

float ProtobufReader::float32() const {
    require(Kind::kFour);
    return std::bit_cast<float>(static_cast<uint32_t>(fixed()));
}

double ProtobufReader::float64() const {
    require(Kind::kEight);
    return std::bit_cast<double>(fixed());
}

uint64_t ProtobufReader::fixed() const {
    uint64_t bits = 0;
    for (size_t b = 0; b < bytes_.size(); ++b)
        bits |= uint64_t{static_cast<unsigned char>(bytes_[b])} << (8 * b);
    return bits;
}

std::string_view ProtobufReader::bytes() const {
    require(Kind::kBytes);
    return bytes_;
}

}  // namespace headroom
