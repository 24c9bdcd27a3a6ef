#include "datasets/evaluations/evaluation_line.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/base/utf8.h"
#include "datasets/text/white_space.h"

namespace headroom {
namespace {

using nlohmann::json;

bool is_python_space(char32_t c) {
    return is_white_space(c) || (c >= 0x1c && c <= 0x1f);
}

/// Letters whose other case is a fixed distance away.
char32_t other_case(char32_t c, bool upper) {
    const auto within = [c](char32_t first, char32_t last) { return c >= first && c <= last; };
    if (upper && (within('a', 'z') || (within(0xe0, 0xfe) && c != 0xf7) || within(0x3b1, 0x3c9) ||
                  within(0x430, 0x44f)))
        return c == 0x3c2 ? 0x3a3 : c - 0x20;
    if (!upper && (within('A', 'Z') || (within(0xc0, 0xde) && c != 0xd7) ||
                   (within(0x391, 0x3a9) && c != 0x3a2) || within(0x410, 0x42f)))
        return c + 0x20;
    return c;
}

}  // namespace

EvaluationLine::EvaluationLine(const json& object, std::string where)
    : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) refuse(fmt::format("{} is no object", shown(object_)));
}

void EvaluationLine::refuse(const std::string& what) const {
    throw UserError(fmt::format("{}: {}", where_, what),
                    "give the task's own JSONL, one item a line");
}

const json& EvaluationLine::at(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) refuse(fmt::format("\"{}\" is absent", key));
    return *found;
}

bool EvaluationLine::has(const char* key) const {
    return object_.contains(key);
}

std::string EvaluationLine::text(const char* key) const {
    const json& value = at(key);
    if (!value.is_string()) refuse(fmt::format("\"{}\" is {}, no text", key, shown(value)));
    return value.get<std::string>();
}

std::vector<std::string> EvaluationLine::texts(const char* key) const {
    const json& list = at(key);
    if (!list.is_array() || list.empty()) refuse(fmt::format("\"{}\" is no list of texts", key));
    std::vector<std::string> all;
    for (const json& item : list) {
        if (!item.is_string()) refuse(fmt::format("\"{}\" holds {}", key, shown(item)));
        all.push_back(item.get<std::string>());
    }
    return all;
}

int64_t EvaluationLine::number(const char* key, int64_t count) const {
    const json& value = at(key);
    int64_t number = -1;
    if (value.is_boolean()) {
        number = value.get<bool>() ? 1 : 0;
    } else if (value.is_number_integer()) {
        number = value.get<int64_t>();
    } else if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const char* end = text.data() + text.size();
        const auto [rest, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc() || rest != end) number = -1;
    }
    if (number < 0 || number >= count)
        refuse(fmt::format("\"{}\" is {}, not one of 0 to {}", key, shown(value), count - 1));
    return number;
}

EvaluationLine EvaluationLine::part(const char* key) const {
    return {at(key), where_ + ": " + key};
}

std::vector<EvaluationLine> EvaluationLine::parts(const char* key) const {
    const json& list = at(key);
    if (!list.is_array() || list.empty()) refuse(fmt::format("\"{}\" is no list", key));
    std::vector<EvaluationLine> all;
    for (const json& item : list) all.emplace_back(item, where_ + ": " + key);
    return all;
}

std::string stripped_left(std::string_view text) {
    size_t start = 0;
    while (start < text.size()) {
        size_t next = start;
        if (!is_python_space(next_code_point(text, next))) break;
        start = next;
    }
    return std::string(text.substr(start));
}

std::string stripped_right(std::string_view text) {
    size_t kept = 0;
    for (size_t at = 0; at < text.size();)
        if (!is_python_space(next_code_point(text, at))) kept = at;
    return std::string(text.substr(0, kept));
}

std::string stripped(std::string_view text) {
    return stripped_left(stripped_right(text));
}

std::string capitalized(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size();) {
        constexpr char32_t kSharpS = 0xdf;  // ß, which has no capital of one letter
        const bool first = at == 0;
        const char32_t letter = next_code_point(text, at);
        if (first && letter == kSharpS)
            out += "Ss";
        else
            append_utf8(out, other_case(letter, first));
    }
    return out;
}

std::string with_all(std::string_view text, std::string_view from, std::string_view to) {
    std::string out;
    size_t done = 0;
    for (size_t at = text.find(from); at != std::string_view::npos; at = text.find(from, done)) {
        out += text.substr(done, at - done);
        out += to;
        done = at + from.size();
    }
    out += text.substr(done);
    return out;
}

}  // namespace headroom
