#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "core/base/error.h"
#include "datasets/tasks/grammar_rules.h"
#include "datasets/tasks/tasks.h"

namespace headroom {
namespace {

/// Writes one story: a probabilistic context-free grammar whose facts (who, what, how many, where)
/// are drawn once and come back at the end, so that they must be remembered over the whole story.
class StoryWriter {
  public:
    StoryWriter(const GrammarRules& rules, CounterRandom& random) : rules_(rules), random_(random) {
        for (const std::string& fact : rules.facts) facts_[fact] = expanded(fact);
        const bool she = random_.chance(0.5);
        facts_["hero"] = expanded(she ? "hero_she" : "hero_he");
        facts_["they"] = she ? "she" : "he";
        facts_["them"] = she ? "her" : "him";
        facts_["their"] = she ? "her" : "his";
    }

    std::string write() {
        std::string story = expanded("story");
        capitalise(story);
        return story;
    }

  private:
    /// Earlier alternatives are likelier: half of the time the smaller of two indices counts.
    const std::string& pick(const std::string& symbol) {
        const auto rule = rules_.alternatives.find(symbol);
        CHECK(rule != rules_.alternatives.end(), "no grammar rule for " + symbol);
        const auto count = static_cast<int64_t>(rule->second.size());
        const int64_t a = random_.below(count), b = random_.below(count);
        return rule->second[static_cast<size_t>(random_.chance(0.5) ? a : std::min(a, b))];
    }

    /// Replaces every {symbol} by its fact or by an alternative drawn anew, recursively.
    std::string expanded(const std::string& symbol) {
        if (const auto fact = facts_.find(symbol); fact != facts_.end()) return fact->second;
        const std::string pattern = pick(symbol);
        std::string text;
        for (size_t at = 0; at < pattern.size();) {
            const size_t open = pattern.find('{', at);
            text += pattern.substr(at, open - at);
            if (open == std::string::npos) break;
            const size_t close = pattern.find('}', open);
            text += expanded(pattern.substr(open + 1, close - open - 1));
            at = close + 1;
        }
        return text;
    }

    /// Capital letters at the start and after the end of each sentence, but not after ?".
    static void capitalise(std::string& story) {
        bool first = true;
        char before = ' ';
        for (char& c : story) {
            if (first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
            if (c == '"' && before == '?') first = false;
            if (c != ' ' && c != '"') first = c == '.' || c == '?' || c == '\n';
            before = c;
        }
    }

    const GrammarRules& rules_;
    CounterRandom& random_;
    std::map<std::string, std::string> facts_;
};

class GrammarSource : public TaskSource {
  public:
    int64_t vocab_size() const override { return 256; }

    void sample(CounterRandom& random, std::span<int32_t> inputs,
                std::span<int32_t> targets) const override {
        const size_t needed = inputs.size() + 1;
        std::string text = StoryWriter(rules_, random).write();
        text.erase(0, static_cast<size_t>(random.below(static_cast<int64_t>(text.size()))));
        while (text.size() < needed) text += StoryWriter(rules_, random).write();
        for (size_t i = 0; i + 1 < needed; ++i) {
            inputs[i] = static_cast<unsigned char>(text[i]);
            targets[i] = static_cast<unsigned char>(text[i + 1]);
        }
    }

    std::string describe() const override { return "task:grammar: endless short stories, bytes"; }

  private:
    GrammarRules rules_ = grammar_rules();
};

}  // namespace

TaskInfo grammar_task() {
    return {"grammar",
            "short English-like stories with agreement and facts to remember, one token per byte",
            {},
            [](const TaskOptions&) -> std::unique_ptr<SequenceSource> {
                return std::make_unique<GrammarSource>();
            },
            true};
}

}  // namespace headroom
