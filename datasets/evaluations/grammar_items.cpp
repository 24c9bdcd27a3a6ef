#include "datasets/evaluations/grammar_items.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "datasets/streams.h"
#include "datasets/tasks/grammar_story.h"

namespace headroom {
namespace {

/// The right continuation, at a random place among the wrong ones.
EvaluationItem item_of(const std::string& context, const std::string& right,
                       const std::vector<std::string>& wrong, CounterRandom& random) {
    EvaluationItem item;
    item.answer = random.below(static_cast<int64_t>(wrong.size()) + 1);
    std::vector<std::string> texts = wrong;
    texts.insert(texts.begin() + item.answer, right);
    for (const std::string& text : texts)
        item.choices.push_back({context, " " + text, static_cast<int64_t>(text.size())});
    return item;
}

EvaluationItem agreement_item(const GrammarRules& rules, CounterRandom& random) {
    GrammarStory story(rules, random);
    const bool plural = random.chance(0.5);
    const std::string context = GrammarStory::with_capitals(
        story.filled(plural ? "{scene} every {time} the {nouns} {near} the {noun}"
                            : "{scene} every {time} the {noun} {near} the {nouns}"));
    const std::string verb = story.filled("{verb}"), place = story.filled("{place}");
    const std::string of_many = verb + " " + place, of_one = verb + "s " + place;
    return item_of(context, plural ? of_many : of_one, {plural ? of_one : of_many}, random);
}

EvaluationItem recall_item(const GrammarRules& rules, CounterRandom& random) {
    GrammarStory story(rules, random);
    const std::string context = GrammarStory::with_capitals(
        story.filled("{opening} {they} has {count} {look} {animals} and a {material} {thing}. "
                     "so {hero} still has"));
    std::vector<std::string> others = rules.alternatives.at("count");
    others.erase(std::find(others.begin(), others.end(), story.fact("count")));
    std::vector<std::string> wrong;
    while (wrong.size() < 3) {
        const auto chosen = others.begin() + random.below(static_cast<int64_t>(others.size()));
        wrong.push_back(*chosen);
        others.erase(chosen);
    }
    return item_of(context, story.fact("count"), wrong, random);
}

std::vector<EvaluationItem> items(uint64_t kind, int64_t count,
                                  EvaluationItem (*make)(const GrammarRules&, CounterRandom&)) {
    const GrammarRules rules = grammar_rules();
    std::vector<EvaluationItem> all;
    for (int64_t i = 0; i < count; ++i) {
        CounterRandom random{kQuestionStream, kind, static_cast<uint64_t>(i)};
        all.push_back(make(rules, random));
    }
    return all;
}

}  // namespace

std::vector<EvaluationItem> grammar_agreement_items(int64_t count) {
    return items(1, count, agreement_item);
}

std::vector<EvaluationItem> grammar_recall_items(int64_t count) {
    return items(2, count, recall_item);
}

}  // namespace headroom
