#include "core/log/interop/wandb_file.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/protobuf.h"
#include "core/log/interop/crc32.h"
#include "core/log/interop/step_axis.h"

namespace headroom {
namespace {

constexpr std::string_view kFileHead{":W&B\xE1\xBE\x00", 7};

/// Puts the records of a file together again.
class WandbRecords {
  public:
    WandbRecords(std::string_view file, const std::string& source)
        : file_(file), source_(source), at_(kFileHead.size()) {}

    /// The next record, until the next call; none at the end or where the file is cut off.
    std::optional<std::string_view> next() {
        record_.clear();
        for (bool begun = false; const auto piece = next_piece();) {
            if (piece->kind == kWhole || piece->kind == kFirst) record_.clear();
            begun = begun || piece->kind == kWhole || piece->kind == kFirst;
            if (!begun) refuse("a record has no beginning");
            record_ += piece->bytes;
            if (piece->kind == kWhole || piece->kind == kLast) return record_;
        }
        return std::nullopt;
    }

  private:
    static constexpr size_t kBlock = 32768, kPieceHead = 7;
    enum Kind : unsigned char { kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };
    struct Piece {
        Kind kind;
        std::string_view bytes;
    };

    std::optional<Piece> next_piece() {
        const size_t left = kBlock - at_ % kBlock;
        if (left < kPieceHead) at_ += left;  // the rest of a block that holds no head is empty
        if (at_ + kPieceHead > file_.size()) return std::nullopt;
        const std::string_view head = file_.substr(at_, kPieceHead);
        uint32_t checksum = 0;
        uint16_t length = 0;
        std::memcpy(&checksum, head.data(), sizeof checksum);
        std::memcpy(&length, head.data() + sizeof checksum, sizeof length);
        const auto kind = static_cast<unsigned char>(head.back());
        if (at_ + kPieceHead + length > file_.size()) return std::nullopt;
        const std::string_view bytes = file_.substr(at_ + kPieceHead, length);
        if (kind < kWhole || kind > kLast ||
            crc32(Crc32::kIeee, bytes, crc32(Crc32::kIeee, head.substr(6))) != checksum)
            refuse("it is damaged");
        at_ += kPieceHead + length;
        return Piece{static_cast<Kind>(kind), bytes};
    }

    [[noreturn]] void refuse(const char* what) const {
        throw UserError(fmt::format("{}: {} at byte {}", source_, what, at_), "copy it again");
    }

    std::string_view file_;
    const std::string& source_;
    size_t at_;
    std::string record_;
};

struct WandbItem {
    std::string name;  ///< "a.b" of a number in a dictionary
    std::string_view json;
};

/// HistoryItem: `key` or `nested_key`, and `value_json`.
WandbItem read_item(std::string_view bytes, const std::string& source) {
    WandbItem item;
    for (ProtobufReader fields(bytes, source); fields.next();) {
        if (fields.field() == 1 && !fields.bytes().empty()) item.name = fields.bytes();
        if (fields.field() == 2)
            item.name += (item.name.empty() ? "" : ".") + std::string(fields.bytes());
        if (fields.field() == 16) item.json = fields.bytes();
    }
    if (item.json.starts_with('"') && item.json.ends_with('"') && item.json.size() > 1)
        item.json = item.json.substr(1, item.json.size() - 2);  // how older versions write NaN
    return item;
}

/// HistoryRecord: what one call of log() logged.
void add_history(std::string_view bytes, const std::string& source, LoggedRows& rows) {
    int64_t calls = 0;
    double time = 0;
    std::vector<std::pair<std::string, double>> numbers;
    for (ProtobufReader fields(bytes, source); fields.next();) {
        if (fields.field() == 2)
            for (ProtobufReader step(fields.bytes(), source); step.next();)
                if (step.field() == 1) calls = step.integer();
        if (fields.field() != 1) continue;
        const WandbItem item = read_item(fields.bytes(), source);
        const std::optional<double> number = logged_number(item.json);
        if (!number || item.name.empty()) continue;
        if (item.name == "_timestamp")
            time = *number;
        else if (item.name != kCallCounter)
            numbers.emplace_back(item.name, *number);
    }
    numbers.emplace_back(kCallCounter, static_cast<double>(calls));
    rows.take(calls, time, numbers);
}

/// RunRecord: its display name.
std::string name_in(std::string_view bytes, const std::string& source) {
    std::string name;
    for (ProtobufReader fields(bytes, source); fields.next();)
        if (fields.field() == 8) name = fields.bytes();
    return name;
}

}  // namespace

bool is_wandb_file(std::string_view bytes) {
    return bytes.starts_with(kFileHead);
}

ForeignLog read_wandb_file(std::string_view bytes, const std::string& source,
                           const std::string& step_column) {
    if (!is_wandb_file(bytes))
        throw UserError(source + " is no file of Weights & Biases",
                        "name the run-ID.wandb of a run, or its folder");
    ForeignLog log{.tool = "Weights & Biases"};
    WandbRecords records(bytes, source);
    LoggedRows rows(step_column);
    while (const auto record = records.next())
        for (ProtobufReader fields(*record, source); fields.next();) {
            if (fields.field() == 2) add_history(fields.bytes(), source, rows);
            if (fields.field() == 17) log.name = name_in(fields.bytes(), source);
        }
    rows.put_into(log);
    return log;
}

}  // namespace headroom
