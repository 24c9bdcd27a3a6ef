#include "datasets/tasks/grammar_story.h"

#include <algorithm>

#include "core/base/error.h"

namespace headroom {

GrammarStory::GrammarStory(const GrammarRules& rules, CounterRandom& random)
    : rules_(rules), random_(random) {
    for (const std::string& fact : rules.facts) facts_[fact] = expanded(fact);
    const bool she = random_.chance(0.5);
    facts_["hero"] = expanded(she ? "hero_she" : "hero_he");
    facts_["they"] = she ? "she" : "he";
    facts_["them"] = she ? "her" : "him";
    facts_["their"] = she ? "her" : "his";
}

std::string GrammarStory::filled(std::string_view pattern) {
    std::string text;
    for (size_t at = 0; at < pattern.size();) {
        const size_t open = pattern.find('{', at);
        text += pattern.substr(at, open - at);
        if (open == std::string_view::npos) break;
        const size_t close = pattern.find('}', open);
        text += expanded(std::string(pattern.substr(open + 1, close - open - 1)));
        at = close + 1;
    }
    return text;
}

std::string GrammarStory::with_capitals(std::string text) {
    bool first = true;
    char before = ' ';
    for (char& c : text) {
        if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (c == '"' && before == '?') first = false;
        if (c != ' ' && c != '"') first = c == '.' || c == '?' || c == '\n';
        before = c;
    }
    return text;
}

std::string GrammarStory::expanded(const std::string& symbol) {
    if (const auto fact = facts_.find(symbol); fact != facts_.end()) return fact->second;
    return filled(pick(symbol));
}

/// Earlier alternatives are likelier: half of the time the smaller of two indices counts.
const std::string& GrammarStory::pick(const std::string& symbol) {
    const auto rule = rules_.alternatives.find(symbol);
    CHECK(rule != rules_.alternatives.end(), "no grammar rule for " + symbol);
    const auto count = static_cast<int64_t>(rule->second.size());
    const int64_t a = random_.below(count), b = random_.below(count);
    return rule->second[static_cast<size_t>(random_.chance(0.5) ? a : std::min(a, b))];
}

}  // namespace headroom
