#include "core/base/json_text.h"

#include <set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/printable.h"

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
    return printable(end == std::string::npos ? message : message.substr(end + 2), 200);
}

}  // namespace

nlohmann::json parse_json(std::string_view text, std::string_view source) {
    try {
        return json::parse(text, Guard(source));
    } catch (const json::exception& error) {
        throw UserError(
            fmt::format("{} is not valid JSON: {}", source, plain_message(error.what())),
            "mend the syntax there");
    }
}

nlohmann::ordered_json parse_ordered_json(std::string_view text, std::string_view source) {
    parse_json(text, source);  // refuses what is not to be read at all
    return nlohmann::ordered_json::parse(text);
}

nlohmann::json parse_json_or_null(std::string_view text) {
    try {
        return parse_json(text, "");
    } catch (const UserError&) {
        return nullptr;
    }
}

std::string load_json_text(const std::filesystem::path& path) {
    std::error_code status;
    if (!std::filesystem::exists(path, status))
        throw UserError(fmt::format("{} does not exist", path.string()), "check the path");
    return read_text(path, kLargestFile);
}

nlohmann::json load_json(const std::filesystem::path& path) {
    return parse_json(load_json_text(path), path.string());
}

nlohmann::ordered_json load_ordered_json(const std::filesystem::path& path) {
    return parse_ordered_json(load_json_text(path), path.string());
}

std::string dump_text(const nlohmann::json& document, int indent) {
    return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string dump_text(const nlohmann::ordered_json& document, int indent) {
    return document.dump(indent, ' ', false, json::error_handler_t::replace);
}

std::string shown(const nlohmann::json& value, size_t most) {
    return printable(dump_text(value), most);
}

}  // namespace headroom
