#include "app/help/help_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

CommandPage program() {
    CommandPage run{"headroom study run", "Train all runs", "", {}, {}};
    run.options.push_back(
        {{"--retry", "-r"}, "", {}, "Take up failed | stopped runs", true, false});
    run.options.push_back({{"--device"}, "TEXT", {"cpu", "cuda"}, "Where", false, false});
    CommandPage compare{"headroom study compare", "Compare in pairs", "", {}, {}};
    CommandPage study{"headroom study", "Many runs", "A footer.", {}, {run, compare}};
    return {"headroom", "Everything", "", {}, {study}};
}

std::vector<std::string> titles(const std::vector<HelpTopic>& topics, const std::string& query) {
    std::vector<std::string> found;
    for (const size_t index : find_topics(topics, query)) found.push_back(topics[index].title);
    return found;
}

TEST(HelpBook, SplitsAReadmeAtItsHeadingsAndNotInCode) {
    const std::vector<HelpTopic> chapters = chapters_of(
        {"core/x/README.md",
         "# The x\nBefore.\n![shot](x.png)\n```\n## no heading\n```\n## Rules\nOne.\n## Empty\n"});
    ASSERT_EQ(chapters.size(), 2u);
    EXPECT_EQ(chapters[0].id, "chapter:core/x/README.md#");
    EXPECT_EQ(chapters[0].title, "The x");
    EXPECT_THAT(chapters[0].text, HasSubstr("## no heading"));
    EXPECT_THAT(chapters[0].text, Not(HasSubstr("png")));
    EXPECT_EQ(chapters[1].id, "chapter:core/x/README.md#Rules");
    EXPECT_EQ(chapters[1].title, "The x: Rules");
    EXPECT_EQ(chapters[1].text, "One.\n");
}

TEST(HelpBook, ShowsOptionsOfACommandInATable) {
    const std::string text = command_topic(program().commands[0].commands[0]).text;
    EXPECT_THAT(text, HasSubstr("| `--retry`, `-r` | Take up failed \\| stopped runs; required |"));
    EXPECT_THAT(text, HasSubstr("| `--device` `TEXT` | Where (cpu, cuda) |"));
    const std::string study = command_topic(program().commands[0]).text;
    EXPECT_THAT(study, HasSubstr("A footer."));
    EXPECT_THAT(study, HasSubstr("| `headroom study run` | Train all runs |"));
}

TEST(HelpBook, AddsChaptersAndCommandsToAPage) {
    const std::vector<HelpTopic> topics = help_topics(
        {{"losses", "Loss", "Losses of the shown runs."}}, program(),
        {{"core/study/README.md", "# Studies\nx\n## Divergence\nWhen it is called so.\n"}});
    EXPECT_EQ(topics[0].id, "page:losses");
    EXPECT_EQ(topics[0].summary, "Losses of the shown runs.");
    EXPECT_THAT(topics[0].text, HasSubstr("When it is called so."));
    EXPECT_THAT(topics[0].text, HasSubstr("**headroom study compare**: Compare in pairs"));
    EXPECT_EQ(topics.size(), 1 + 4 + 2u);
}

TEST(HelpBook, FindsAllWordsAndTitlesFirst) {
    const std::vector<HelpTopic> topics{
        {"1", "Memory", "where bytes go; the cache"},
        {"2", "Wiring", "whose cache a head reads, cache by cache"},
        {"3", "The cache", "bytes"},
    };
    EXPECT_THAT(titles(topics, ""), ElementsAre("Memory", "Wiring", "The cache"));
    EXPECT_THAT(titles(topics, "CACHE"), ElementsAre("The cache", "Wiring", "Memory"));
    EXPECT_THAT(titles(topics, "cache bytes"), ElementsAre("The cache", "Memory"));
    EXPECT_THAT(titles(topics, "absent"), ElementsAre());
}

}  // namespace
}  // namespace headroom
