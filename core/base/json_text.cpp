#include "core/base/json_text.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;
constexpr uint64_t kLargestFile = 64u << 20;

/// Refuses what the parser itself lets pass: endless nesting and keys that stand twice.
class Guard {
  public:
    explicit Guard(std::string_view source) : source_(source) {}

    bool operator()(int depth, json::parse_event_t event, const json& parsed) {
        using Event = json::parse_event_t;
        if (depth > kDeepest)
            throw UserError(fmt::format("{} is nested more than {} deep", source_, kDeepest),
                            "give a flatter document");
        if (event == Event::object_start) keys_.emplace_back();
        if (event == Event::object_end && !keys_.empty()) keys_.pop_back();
        if (event == Event::key && !keys_.empty() &&
            !keys_.back().insert(parsed.get<std::string>()).second)
            throw UserError(
                fmt::format("{} has the key {} twice in one object", source_, shown(parsed)),
                "keep one of them");
        return true;
    }

  private:
    std::string_view source_;
    std::vector<std::set<std::string>> keys_;
};

/// The parser's message without its leading "[json.exception...] " and on one line.
std::string plain_message(const std::string& message) {
    const size_t end = message.find("] ");
    std::string text = end == std::string::npos ? message : message.substr(end + 2);
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return text;
}

std::string shortened(std::string text, size_t most) {
    if (text.size() <= most) return text;
    size_t end = most > 3 ? most - 3 : 0;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return text.substr(0, end) + "...";
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view source) {
    try {
        return json::parse(text, Guard(source));
    } catch (const json::exception& error) {
        throw UserError(fmt::format("{} is not valid JSON: {}", source,
                                    shortened(plain_message(error.what()), 200)),
                        "mend the syntax there");
    }
}

nlohmann::json parse_json_or_null(std::string_view text) {
    try {
        return parse_json(text, "");
    } catch (const UserError&) {
        return nullptr;
    }
}

nlohmann::json load_json(const std::filesystem::path& path) {
    std::error_code status;
    if (!std::filesystem::exists(path, status))
        throw UserError(fmt::format("{} does not exist", path.string()), "check the path");
    return parse_json(read_text(path, kLargestFile), path.string());
}

std::string shown(const nlohmann::json& value, size_t most) {
    return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace), most);
}

}  // namespace headroom
