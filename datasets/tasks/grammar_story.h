#pragma once

#include <map>
#include <string>
#include <string_view>

#include "datasets/counter_random.h"
#include "datasets/tasks/grammar_rules.h"

namespace headroom {

/// Writes one story: a probabilistic context-free grammar whose facts (who, what, how many, where)
/// are drawn once and come back at the end, so that they must be remembered over the whole story.
class GrammarStory {
  public:
    /// Draws the facts. Both outlive the story.
    GrammarStory(const GrammarRules& rules, CounterRandom& random);

    /// The whole story, with capital letters.
    std::string write() { return with_capitals(filled("{story}")); }
    /// Every {symbol} replaced by its fact or by an alternative drawn anew, recursively.
    std::string filled(std::string_view pattern);
    const std::string& fact(const std::string& symbol) const { return facts_.at(symbol); }

    /// Capital letters at the start and after the end of each sentence, but not after ?".
    static std::string with_capitals(std::string text);

  private:
    std::string expanded(const std::string& symbol);
    const std::string& pick(const std::string& symbol);

    const GrammarRules& rules_;
    CounterRandom& random_;
    std::map<std::string, std::string> facts_;
};

}  // namespace headroom
