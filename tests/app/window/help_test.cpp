#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QTextBrowser>
#include <set>

#include <gmock/gmock.h>

#include "app/figure/figure_main.h"
#include "app/help/page_references.h"
#include "app/window/dialogs/help_dialog.h"
#include "app/window/main_window.h"
#include "app/window/shell/workspace.h"
#include "panels/qt/panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

class HelpTest : public WindowTest {};

TEST_F(HelpTest, FindsTopicsByTheirWords) {
    HelpDialog help(help_topics({{"wiring", "Wiring", "Where *keys* come from."}},
                                whole_program_tree(), help_sources()),
                    nullptr);
    const auto said = [&help] { return help.text()->toPlainText().toStdString(); };
    help.show_topic("page:wiring");
    EXPECT_EQ(help.summary()->text(), "Where *keys* come from.");
    EXPECT_THAT(said(), HasSubstr("headroom describe"));

    help.search()->setText("effective rank entropy");
    EXPECT_GT(help.list()->count(), 0);
    EXPECT_THAT(said(), HasSubstr("Roy & Vetterli"));
    help.search()->setText("nothing has such words xyzzy");
    EXPECT_EQ(help.list()->count(), 0);
    EXPECT_THAT(said(), HasSubstr("Nothing"));

    help.show_topic("command:headroom study compare");
    EXPECT_THAT(said(), HasSubstr("--baseline"));
    EXPECT_TRUE(help.search()->text().isEmpty());
}

TEST_F(HelpTest, EveryPageHasItsChaptersAndCommands) {
    std::set<std::string> ids;
    for (const HelpTopic& topic : help_topics({}, whole_program_tree(), help_sources())) {
        EXPECT_TRUE(ids.insert(topic.id).second) << topic.id;
        EXPECT_FALSE(topic.text.empty()) << topic.id;
    }
    std::set<std::string> pages;
    for (const PageReferences& page : page_references()) {
        pages.insert(page.page);
        EXPECT_FALSE(page.commands.empty());
        for (const std::string& command : page.commands)
            EXPECT_TRUE(ids.contains("command:headroom " + command)) << command;
        for (const std::string& chapter : page.chapters)
            EXPECT_TRUE(ids.contains("chapter:" + chapter)) << chapter;
    }
    for (const PageInfo* page : window_->workspace().pages())
        EXPECT_TRUE(pages.contains(page->name.toStdString())) << page->name.toStdString();
}

}  // namespace
}  // namespace headroom
