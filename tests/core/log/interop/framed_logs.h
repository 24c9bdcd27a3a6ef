#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/log/interop/crc32.h"

namespace headroom {

// Log files of other tools around given messages, written anew from their formats' descriptions.

inline std::string proto_number(uint64_t value) {
    std::string bytes;
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
    return bytes;
}

inline std::string proto_bytes(uint64_t field, std::string_view bytes) {
    return proto_number(field << 3 | 2) + proto_number(bytes.size()) + std::string(bytes);
}

template <class T>
std::string raw_bytes(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// An event of TensorBoard with one number.
inline std::string event_with(std::string_view tag, int64_t step, float value) {
    const std::string simple = proto_bytes(1, tag) + "\x15" + raw_bytes(value);
    return "\x09" + raw_bytes(1.7e9) + "\x10" + proto_number(static_cast<uint64_t>(step)) +
           proto_bytes(5, proto_bytes(1, simple));
}

inline std::string tensorboard_file(const std::vector<std::string>& events) {
    const auto checksum = [](std::string_view bytes) {
        const uint32_t crc = crc32(Crc32::kCastagnoli, bytes);
        return raw_bytes((crc >> 15 | crc << 17) + 0xa282ead8u);
    };
    std::string file;
    for (const std::string& event : events) {
        const std::string length = raw_bytes(uint64_t{event.size()});
        file += length + checksum(length) + event + checksum(event);
    }
    return file;
}

/// A record of Weights & Biases: what one call of log() logged, as JSON texts by name; "a.b" stands
/// for a number in a dictionary.
inline std::string history_record(int64_t step,
                                  const std::vector<std::pair<std::string, std::string>>& items) {
    std::string history;
    for (const auto& [name, json] : items) {
        std::string item;
        for (size_t at = 0; at <= name.size();) {
            const size_t end = std::min(name.find('.', at), name.size());
            item += proto_bytes(2, name.substr(at, end - at));
            at = end + 1;
        }
        history += proto_bytes(1, item + proto_bytes(16, json));
    }
    history += proto_bytes(2, "\x08" + proto_number(static_cast<uint64_t>(step)));
    return proto_bytes(2, history);
}

inline std::string wandb_file(const std::vector<std::string>& records) {
    constexpr size_t kBlock = 32768, kHead = 7;
    std::string file(":W&B\xE1\xBE\x00", kHead);
    for (const std::string& record : records) {
        bool begins = true;  // where no byte of it is in the first piece, in that one all the same
        for (size_t at = 0; at <= record.size();) {
            if (const size_t left = kBlock - file.size() % kBlock; left < kHead)
                file.append(left, '\0');
            const size_t room = kBlock - file.size() % kBlock - kHead;
            const std::string bytes = record.substr(at, room);
            const bool ends = at + bytes.size() == record.size();
            const auto kind = static_cast<char>(begins ? (ends ? 1 : 2) : (ends ? 4 : 3));
            file += raw_bytes(crc32(Crc32::kIeee, std::string(1, kind) + bytes));
            file += raw_bytes(static_cast<uint16_t>(bytes.size())) + kind + bytes;
            at += bytes.size();
            begins = false;
            if (ends) break;
        }
    }
    return file;
}

}  // namespace headroom
