#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "app/window/services/study_session.h"
#include "core/study/study_labels.h"
#include "panels/run_table/run_table_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class TableTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = write_study(
            "table", {{"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}});
        open(study_, 3);
        go_to("table");
        EXPECT_TRUE(wait_for([&] { return panel().view()->topLevelItemCount() == 3; }));
    }
    RunTablePanel& panel() { return part<RunTablePanel>(); }
    template <class Part>
    Part& option(const char* name) {
        return *window_->findChild<Part*>(name);
    }
    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (int i = 0; i < panel().view()->topLevelItemCount(); ++i)
            names.push_back(panel().view()->topLevelItem(i)->text(0).toStdString());
        return names;
    }
    bool wait_for_names(const std::vector<std::string>& expected) {
        return wait_for([&] { return names() == expected; });
    }
    void click_heading(int column) {
        QHeaderView* header = panel().view()->header();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          {header->sectionViewportPosition(column) + 12, header->height() / 2});
    }

    std::filesystem::path study_;
};

TEST_F(TableTest, AConditionHidesTheOthersAndAWrongOneIsSaid) {
    QTest::keyClicks(panel().filter(), "arch:skipv1");
    EXPECT_TRUE(wait_for_names({"skipv1"}));
    panel().filter()->clear();
    EXPECT_TRUE(wait_for([&] { return names().size() == 3; }));
    panel().filter()->setText("archh:skipv1");
    const auto said = [&] {
        for (QLabel* label : panel().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains("archh")) return true;
        return false;
    };
    EXPECT_TRUE(wait_for(said));
    EXPECT_THAT(names(), SizeIs(3)) << "the table of before stays";
}

TEST_F(TableTest, AHeadingSortsUpDownAndBack) {
    click_heading(0);
    EXPECT_TRUE(wait_for([&] { return panel().view()->header()->isSortIndicatorShown(); }));
    EXPECT_THAT(names(), ElementsAre("baseline", "no-query", "skipv1"));
    click_heading(0);
    EXPECT_TRUE(wait_for_names({"skipv1", "no-query", "baseline"}));
    click_heading(0);
    EXPECT_TRUE(wait_for_names({"baseline", "no-query", "skipv1"}));
}

TEST_F(TableTest, GroupsCountTheirRuns) {
    QComboBox& groups = option<QComboBox>("tableGroups");
    const int arch = groups.findData("model.arch");
    ASSERT_GE(arch, 0);
    groups.setCurrentIndex(arch);
    emit groups.activated(arch);
    ASSERT_TRUE(wait_for([&] {
        return panel().view()->headerItem()->text(panel().view()->columnCount() - 1) == "n";
    }));
    EXPECT_EQ(panel().view()->topLevelItem(0)->text(panel().view()->columnCount() - 1), "1");
}

TEST_F(TableTest, TheSelectedRowIsTheSelectedRunEverywhere) {
    QTreeWidget* view = panel().view();
    const QRect row = view->visualItemRect(view->topLevelItem(2));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, {row.left() + 20, row.center().y()});
    EXPECT_THAT(window_->session().look().selected, ElementsAre("skipv1"));
    select({"baseline"});
    EXPECT_TRUE(wait_for([&] { return view->topLevelItem(0)->isSelected(); }));
    EXPECT_FALSE(view->topLevelItem(2)->isSelected());
}

TEST_F(TableTest, AnyColumnCanBeChosen) {
    QTimer::singleShot(200, [] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        auto* list = dialog->findChild<QListWidget*>("columnList");
        for (int i = 0; i < list->count(); ++i)
            list->item(i)->setCheckState(list->item(i)->text() == "name" ||
                                                 list->item(i)->text() == "model.n_layer"
                                             ? Qt::Checked
                                             : Qt::Unchecked);
        dialog->accept();
    });
    QTest::mouseClick(&option<QToolButton>("tableColumns"), Qt::LeftButton);
    EXPECT_TRUE(wait_for([&] { return panel().view()->columnCount() == 2; }));
    EXPECT_THAT(panel().table().columns, ElementsAre("name", "model.n_layer"));
    restart_window();
    open(study_, 3);
    go_to("table");
    EXPECT_TRUE(wait_for([&] { return panel().view()->columnCount() == 2; })) << "kept";
}

TEST_F(TableTest, IsCopiedAsMarkdown) {
    for (QAction* action : option<QToolButton>("tableCopy").menu()->actions())
        if (action->text() == "Markdown") action->trigger();
    EXPECT_THAT(QApplication::clipboard()->text().toStdString(), HasSubstr("| baseline |"));
}

TEST_F(TableTest, TagsGoIntoTheStudysLabels) {
    emit panel().label_asked({"skipv1"}, {.tags = {"paper"}});
    EXPECT_TRUE(wait_for([&] {
        const StudyLabels labels = read_labels(study_);
        const auto found = labels.runs.find("skipv1");
        return found != labels.runs.end() &&
               found->second.tags == std::vector{std::string("paper")};
    }));
}

}  // namespace
}  // namespace headroom
