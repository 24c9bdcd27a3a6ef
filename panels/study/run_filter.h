#pragma once

#include <regex>
#include <string>
#include <vector>

#include "panels/study/run_facts.h"

namespace headroom {

/// Which runs a person wants to see, in words and conditions that all must hold:
///
///   skip                    a word in the name, folder, tags or note, whatever its case
///   "two words"             the same with blanks
///   /^base.*2$/             a regular expression found in the name or the folder, of which it
///   reads
///                           200 characters
///   arch:skipv1,gpt2        the value is one of these; of tags, one of the tags is
///   lr>1e-3  step>=100      numbers; also <, <=, = and !=
///   -arch:gpt2  -skip       not
class RunFilter {
  public:
    RunFilter() = default;
    /// UserError naming the part that cannot be understood, or the column that is not there.
    static RunFilter parse(const std::string& text, const RunFacts& facts);

    bool accepts(const Run& run, const RunFacts& facts) const;
    /// The runs that it accepts, in their order.
    std::vector<RunPointer> apply(const RunFacts& facts) const;

  private:
    enum class Kind { kWord, kRegex, kOneOf, kCompare };
    struct Condition {
        Kind kind = Kind::kWord;
        bool negated = false;
        std::string column;               ///< full name, of kOneOf and kCompare
        std::vector<std::string> values;  ///< in small letters
        std::regex regex;
        std::string comparison;
        double number = 0;
    };

    static Condition parse_condition(std::string word, bool quoted, const RunFacts& facts);
    static bool holds(const Condition& condition, const Run& run, const RunFacts& facts);

    std::vector<Condition> conditions_;
};

}  // namespace headroom
