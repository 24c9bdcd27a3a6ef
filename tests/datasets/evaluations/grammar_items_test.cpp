#include "datasets/evaluations/grammar_items.h"

#include <map>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "datasets/evaluations/score_task.h"
#include "datasets/tasks/grammar_rules.h"

namespace headroom {
namespace {

const std::string& right_of(const EvaluationItem& item) {
    return item.choices.at(static_cast<size_t>(item.answer)).continuation;
}

TEST(GrammarItems, EveryVerbHasItsFormOfOneInTheRules) {
    const GrammarRules rules = grammar_rules();
    const auto &many = rules.alternatives.at("verb"), &one = rules.alternatives.at("verb_s");
    ASSERT_EQ(many.size(), one.size());
    for (size_t i = 0; i < many.size(); ++i) EXPECT_EQ(many[i] + "s", one[i]);
}

TEST(GrammarItems, TheVerbAgreesWithTheFirstNounAndNotWithTheNearest) {
    const GrammarRules rules = grammar_rules();
    std::map<std::string, bool> is_plural;
    for (const std::string& noun : rules.alternatives.at("noun")) is_plural[noun] = false;
    for (const std::string& noun : rules.alternatives.at("nouns")) is_plural[noun] = true;
    const std::regex end("Every .*the ([a-z]+) [a-z]+ the ([a-z]+)$");
    int plurals = 0, first_right = 0;
    const auto items = grammar_agreement_items(400);
    for (const EvaluationItem& item : items) {
        ASSERT_EQ(item.choices.size(), 2u);
        EXPECT_EQ(item.choices[0].context, item.choices[1].context);
        std::smatch nouns;
        ASSERT_TRUE(std::regex_search(item.choices[0].context, nouns, end))
            << item.choices[0].context;
        const bool plural = is_plural.at(nouns[1]);
        EXPECT_NE(plural, is_plural.at(nouns[2])) << item.choices[0].context;
        const std::string& said = right_of(item);
        EXPECT_EQ(plural, said.substr(0, said.find(' ', 1)).back() != 's') << said;
        plurals += plural;
        first_right += item.answer == 0;
    }
    EXPECT_NEAR(plurals, 200, 50);
    EXPECT_NEAR(first_right, 200, 50);
}

TEST(GrammarItems, TheNumberIsThatOfTheStory) {
    const auto counts = grammar_rules().alternatives.at("count");
    for (const EvaluationItem& item : grammar_recall_items(200)) {
        ASSERT_EQ(item.choices.size(), 4u);
        std::set<std::string> different;
        for (const auto& choice : item.choices) different.insert(choice.continuation);
        EXPECT_EQ(different.size(), 4u);
        const std::string& context = item.choices[0].context;
        EXPECT_NE(context.find("has" + right_of(item) + " "), std::string::npos) << context;
        EXPECT_TRUE(context.ends_with(" still has"));
    }
}

TEST(GrammarItems, AreTheSameEveryTimeAndReadNoFile) {
    const std::vector<std::string> specs{"grammar_agreement", "grammar_recall"};
    const auto some = read_asked_tasks(specs, 3), all = read_asked_tasks(specs, 0);
    ASSERT_EQ(some.size(), 2u);
    for (size_t t = 0; t < 2; ++t) {
        ASSERT_EQ(some[t].items.size(), 3u);
        EXPECT_EQ(all[t].items.size(), 500u);
        for (size_t i = 0; i < 3; ++i)
            EXPECT_EQ(some[t].items[i].choices[0].context, all[t].items[i].choices[0].context);
    }
    EXPECT_EQ(some[1].items[0].choices[0].context,
              "Nira the carpenter lives between the lakes. She has four clever pigs and a silver "
              "bell. So Nira still has");
    EXPECT_THROW(read_asked_tasks(std::vector<std::string>{"grammar_recall:x.jsonl"}, 0),
                 UserError);
    EXPECT_THROW(read_asked_tasks(std::vector<std::string>{"piqa"}, 0), UserError);
}

}  // namespace
}  // namespace headroom
