#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// One line of an evaluation's file, read key by key.
class EvaluationLine {
  public:
    /// `where` names file and line in messages.
    EvaluationLine(const nlohmann::json& object, std::string where);

    bool has(const char* key) const;
    std::string text(const char* key) const;
    std::vector<std::string> texts(const char* key) const;
    /// A whole number, a text of digits, or true and false as 1 and 0; below `count`.
    int64_t number(const char* key, int64_t count) const;
    EvaluationLine part(const char* key) const;
    /// The elements of a list of objects.
    std::vector<EvaluationLine> parts(const char* key) const;

    [[noreturn]] void refuse(const std::string& what) const;

  private:
    const nlohmann::json& at(const char* key) const;

    const nlohmann::json& object_;
    std::string where_;
};

// Text as Python's str has it, on which the prompts of lm-evaluation-harness rest.

/// White space for str.strip: Unicode's, and the control characters 0x1c to 0x1f.
std::string stripped(std::string_view text);
std::string stripped_left(std::string_view text);
std::string stripped_right(std::string_view text);
/// str.capitalize for ASCII, Latin-1, Greek and Cyrillic; other letters stay as they are.
std::string capitalized(std::string_view text);
/// str.replace.
std::string with_all(std::string_view text, std::string_view from, std::string_view to);

}  // namespace headroom
