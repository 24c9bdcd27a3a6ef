#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom {

/// Reads one message of Protocol Buffers' wire format, field by field
/// (protobuf.dev/programming-guides/encoding). Groups, which no schema in use has, are refused.
class ProtobufReader {
  public:
    /// `source` names the file in errors; `bytes` must live on.
    ProtobufReader(std::string_view bytes, std::string source)
        : rest_(bytes), source_(std::move(source)) {}

    /// Goes on to the next field; false at the end. UserError for what is no message.
    bool next();
    /// Number of the field.
    uint64_t field() const { return field_; }

    // The value. UserError if the field is of another kind.
    int64_t integer() const;
    bool flag() const { return integer() != 0; }
    float float32() const;
    double float64() const;
    std::string_view bytes() const;  ///< of a text or message
    bool is_bytes() const { return kind_ == Kind::kBytes; }

  private:
    enum class Kind { kInteger = 0, kEight = 1, kBytes = 2, kFour = 5 };

    [[noreturn]] void refuse(const char* what) const;
    uint64_t varint();
    std::string_view take(uint64_t count);
    void require(Kind kind) const;
    uint64_t fixed() const;

    std::string_view rest_;
    std::string source_;
    uint64_t field_ = 0, integer_ = 0;
    Kind kind_ = Kind::kInteger;
    std::string_view bytes_;
};

}  // namespace headroom
