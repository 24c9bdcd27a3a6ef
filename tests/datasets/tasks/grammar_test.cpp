#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datasets/open_data.h"
#include "datasets/tasks/grammar_rules.h"
#include "tests/datasets/batches.h"

namespace headroom {
namespace {

/// A long piece of the training stream.
std::string some_text() {
    const Batch batch =
        train_batch(*open_data({"task:grammar", "split:0.1", "byte"}, 1), 1, 0, 1, 60'000);
    return {batch.tokens().begin(), batch.tokens().end()};
}

/// The stories of a text that are there from beginning to end.
std::vector<std::string> whole_stories(const std::string& text) {
    std::vector<std::string> stories;
    for (size_t at = text.find("\n\n"); at != std::string::npos;) {
        const size_t next = text.find("\n\n", at + 2);
        if (next != std::string::npos) stories.push_back(text.substr(at + 2, next - at - 2));
        at = next;
    }
    return stories;
}

std::string any_of(const std::string& symbol) {
    const GrammarRules rules = grammar_rules();
    std::string pattern;
    for (const std::string& word : rules.alternatives.at(symbol))
        pattern += (pattern.empty() ? "(?:" : "|") + word;
    return pattern + ")";
}

TEST(Grammar, StoriesKeepTheirFacts) {
    const std::vector<std::string> stories = whole_stories(some_text());
    ASSERT_GE(stories.size(), 50u);
    for (const std::string fact : {"count", "animals", "material", "thing", "home"}) {
        const std::regex words("\\b" + any_of(fact) + "\\b");
        int mentions = 0;
        for (const std::string& story : stories) {
            std::set<std::string> different;
            for (std::sregex_iterator at(story.begin(), story.end(), words), end; at != end; ++at)
                different.insert(at->str()), ++mentions;
            EXPECT_LE(different.size(), 1u) << story;
        }
        EXPECT_GE(mentions, static_cast<int>(stories.size())) << fact;
    }
}

TEST(Grammar, VerbsAgreeWithTheirSubjects) {
    const std::string text = some_text();
    const auto count = [&](const std::string& noun, const std::string& verb) {
        const std::regex clause("[.] The " + any_of(noun) + " " + any_of(verb) + "\\b");
        return std::distance(std::sregex_iterator(text.begin(), text.end(), clause),
                             std::sregex_iterator());
    };
    EXPECT_GE(count("noun", "verb_s"), 10);
    EXPECT_EQ(count("noun", "verb"), 0);
    EXPECT_EQ(count("nouns", "verb_s"), 0);
}

TEST(Grammar, IsPlainSentences) {
    const std::string text = some_text();
    EXPECT_EQ(text.find_first_of("{}\t"), std::string::npos);
    EXPECT_FALSE(std::regex_search(text, std::regex("[.?] [a-z]")));
    EXPECT_FALSE(std::regex_search(text, std::regex("  ")));
    EXPECT_FALSE(std::regex_search(text, std::regex(" a [aeiou]")));
    for (const std::string& story : whole_stories(text)) EXPECT_EQ(story.back(), '.') << story;
}

TEST(Grammar, EveryStoryIsNew) {
    const std::vector<std::string> stories = whole_stories(some_text());
    const std::set<std::string> different(stories.begin(), stories.end());
    EXPECT_EQ(different.size(), stories.size());
}

}  // namespace
}  // namespace headroom
