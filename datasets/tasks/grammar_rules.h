#pragma once

#include <map>
#include <string>
#include <vector>

namespace headroom {

/// The grammar of task:grammar. {symbol} in an alternative stands for a rule or a fact.
struct GrammarRules {
    /// Likelier alternatives come first; a repeated alternative is likelier still.
    std::map<std::string, std::vector<std::string>> alternatives;
    /// Symbols drawn once for each story, in this order, and the same wherever they occur in it.
    /// Besides these, a story knows hero, they, them and their.
    std::vector<std::string> facts;
};

GrammarRules grammar_rules();

}  // namespace headroom
