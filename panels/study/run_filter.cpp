#include "panels/study/run_filter.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

constexpr size_t kLongestRegex = 200;
/// In characters, all its repetitions written out.
constexpr size_t kLargestRegex = 2000;
/// Of a name or a folder: time grows with the square of it.
constexpr size_t kMatchedCharacters = 200;

/// How long the pattern is at most with its {n} written out, whether nested or not.
size_t written_out(const std::string& pattern) {
    size_t size = pattern.size();
    for (size_t brace = pattern.find('{'); brace < pattern.size();
         brace = pattern.find('{', brace + 1)) {
        size_t most = 0, number = 0, at = brace + 1;
        for (; at < pattern.size() && pattern[at] != '}'; ++at) {
            const bool digit = pattern[at] >= '0' && pattern[at] <= '9';
            number = digit ? std::min(number * 10 + static_cast<size_t>(pattern[at] - '0'),
                                      kLargestRegex)
                           : 0;
            most = std::max(most, number);
        }
        size = std::min(size * std::max(most, size_t{1}), kLargestRegex + 1);
    }
    return size;
}

/// std::regex of libstdc++ goes through a pattern in one of two ways. The usual one tries each way
/// to match in turn, and each of them one character deeper into the stack: (a+)+b takes for ever on
/// forty characters, and .*b ends the program on a hundred thousand. __polynomial, which that
/// library has for it, follows all of them side by side; it knows no back references.
std::regex compiled(const std::string& pattern) {
    if (pattern.size() > kLongestRegex || written_out(pattern) > kLargestRegex)
        throw std::regex_error(std::regex_constants::error_complexity);
    return std::regex(
        pattern, std::regex::icase | std::regex::optimize | std::regex_constants::__polynomial);
}

bool is_found(const std::regex& regex, const std::string& text) {
    const bool cut = text.size() > kMatchedCharacters;
    const auto end = text.begin() + static_cast<ptrdiff_t>(cut ? kMatchedCharacters : text.size());
    return std::regex_search(
        text.begin(), end, regex,
        cut ? std::regex_constants::match_not_eol : std::regex_constants::match_default);
}

std::string small(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

/// Words at blanks; those in quotation marks keep theirs.
std::vector<std::pair<std::string, bool>> split(const std::string& text) {
    std::vector<std::pair<std::string, bool>> words;
    std::string word;
    bool quoted = false, was_quoted = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
            was_quoted = true;
        } else if (c == ' ' && !quoted) {
            if (!word.empty()) words.emplace_back(std::exchange(word, ""), was_quoted);
            was_quoted = false;
        } else {
            word += c;
        }
    }
    if (quoted) throw UserError("a quotation mark is not closed", "write \"two words\"");
    if (!word.empty()) words.emplace_back(word, was_quoted);
    return words;
}

std::vector<std::string> alternatives(const std::string& text) {
    std::vector<std::string> values;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) values.push_back(small(part));
    return values;
}

bool compare(double a, const std::string& how, double b) {
    if (how == ">") return a > b;
    if (how == ">=") return a >= b;
    if (how == "<") return a < b;
    if (how == "<=") return a <= b;
    return (a == b) == (how == "=");
}

}  // namespace

RunFilter::Condition RunFilter::parse_condition(std::string word, bool quoted,
                                                const RunFacts& facts) {
    Condition condition;
    if (word.size() > 1 && word.front() == '-') {
        condition.negated = true;
        word.erase(0, 1);
    }
    if (word.size() > 2 && word.front() == '/' && word.back() == '/') {
        condition.kind = Kind::kRegex;
        const std::string pattern = word.substr(1, word.size() - 2);
        try {
            condition.regex = compiled(pattern);
        } catch (const std::regex_error&) {
            throw UserError(fmt::format("/{}/ is no regular expression that is read here", pattern),
                            "check its brackets; back references and repetitions of more than "
                            "2,000 characters are none");
        }
        return condition;
    }
    const size_t at = quoted ? std::string::npos : word.find_first_of(":<>=!");
    if (at == std::string::npos || at == 0) {
        condition.values = {small(word)};
        return condition;
    }
    const bool two = at + 1 < word.size() && word[at + 1] == '=' && word[at] != ':';
    const std::string how = word.substr(at, two ? 2 : 1), value = word.substr(at + how.size());
    condition.column = facts.find_column(word.substr(0, at));
    condition.values = alternatives(value);
    const std::optional<double> number = parse_shown_number(value);
    const bool is_number = number.has_value();
    condition.number = number.value_or(std::nan(""));
    if (value.empty() || how == "!" || (!is_number && (how[0] == '<' || how[0] == '>')))
        throw UserError(fmt::format("{} is no condition", word),
                        "write arch:skipv1, lr>1e-3 or state:finished");
    condition.kind = is_number && how != ":" ? Kind::kCompare : Kind::kOneOf;
    condition.comparison = how;
    if (condition.kind == Kind::kOneOf && how == "!=") condition.negated = !condition.negated;
    return condition;
}

RunFilter RunFilter::parse(const std::string& text, const RunFacts& facts) {
    RunFilter filter;
    for (auto& [word, quoted] : split(text))
        filter.conditions_.push_back(parse_condition(word, quoted, facts));
    return filter;
}

bool RunFilter::holds(const Condition& condition, const Run& run, const RunFacts& facts) {
    const auto is_one_of = [&](const std::string& text) {
        return std::find(condition.values.begin(), condition.values.end(), small(text)) !=
               condition.values.end();
    };
    // Of a path also its end, as names of runs and tables have it.
    const auto is_end_of = [&](const std::string& path) {
        return std::any_of(condition.values.begin(), condition.values.end(),
                           [&](const std::string& end) {
                               return !end.empty() && small(path).ends_with("/" + end);
                           });
    };
    switch (condition.kind) {
        case Kind::kWord: {
            std::string all = run.name + "\n" + run.id + "\n" + run.label.note;
            for (const std::string& tag : run.label.tags) all += "\n" + tag;
            return small(all).find(condition.values.front()) != std::string::npos;
        }
        case Kind::kRegex:
            return is_found(condition.regex, run.name) || is_found(condition.regex, run.id);
        case Kind::kOneOf: {
            if (condition.column == "tags")
                return std::any_of(run.label.tags.begin(), run.label.tags.end(), is_one_of);
            const RunValue value = facts.value(run, condition.column);
            const bool equal_number =
                value.number && condition.values.size() == 1 && *value.number == condition.number;
            return is_one_of(value.text) || is_one_of(value.identity()) || is_end_of(value.whole) ||
                   (equal_number && condition.values.front() != "");
        }
        case Kind::kCompare: {
            const std::optional<double> number = facts.value(run, condition.column).number;
            return number && compare(*number, condition.comparison, condition.number);
        }
    }
    return false;
}

bool RunFilter::accepts(const Run& run, const RunFacts& facts) const {
    return std::all_of(conditions_.begin(), conditions_.end(), [&](const Condition& condition) {
        return holds(condition, run, facts) != condition.negated;
    });
}

std::vector<RunPointer> RunFilter::apply(const RunFacts& facts) const {
    std::vector<RunPointer> accepted;
    for (const RunPointer& run : facts.runs())
        if (accepts(*run, facts)) accepted.push_back(run);
    return accepted;
}

}  // namespace headroom
