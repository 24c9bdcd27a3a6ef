#include "panels/run_list/run_list.h"

#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "panels/qt/elided_name.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using testing::UnorderedElementsAreArray;

RunPointer make_run(const std::string& id, const std::string& group, int64_t seed, int color) {
    auto run = std::make_shared<Run>();
    run->id = id;
    run->group = group;
    run->name = group + ", seed " + std::to_string(seed);
    run->seed = seed;
    run->color = color;
    return run;
}

/// Two seeds of one variant and one run of another.
StudyLook example() {
    auto study = std::make_shared<StudySnapshot>();
    study->runs = {make_run("a-s1", "skipv1", 1, 0), make_run("b-s1", "gpt2", 1, 1),
                   make_run("a-s2", "skipv1", 2, 0)};
    StudyLook look;
    look.study = study;
    look.reference = "b-s1";
    look.selected = {"b-s1"};
    return look;
}

TEST(RunListView, RunsThatDifferInTheirSeedStandUnderOneName) {
    const std::vector<RunListGroup> groups = build_run_list(example());
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].name, "skipv1");
    ASSERT_EQ(groups[0].rows.size(), 2u);
    EXPECT_EQ(groups[0].rows[1].id, "a-s2");
    EXPECT_EQ(groups[0].rows[1].name, "seed 2");
    EXPECT_EQ(groups[1].rows[0].name, "gpt2, seed 1");
    EXPECT_TRUE(groups[1].rows[0].reference);
}

TEST(RunListView, AFilterLooksForEveryWordInAnyCase) {
    const RunListGroup group = build_run_list(example())[0];
    EXPECT_TRUE(passes_filter(group, group.rows[1], "SKIP s2"));
    EXPECT_FALSE(passes_filter(group, group.rows[0], "skip s2"));
    EXPECT_TRUE(passes_filter(group, group.rows[0], "  "));
}

class RunListTest : public testing::Test {
  protected:
    RunListTest() {
        list_.resize(220, 400);
        list_.show();
        list_.set_study(look_);
    }
    QTreeWidgetItem* item(const std::string& id) {
        for (QTreeWidgetItemIterator it(list_.tree()); *it; ++it)
            if ((*it)->data(0, Qt::UserRole).toString().toStdString() == id) return *it;
        return nullptr;
    }
    void click(QTreeWidgetItem* at, int column) {
        const QRect row = list_.tree()->visualItemRect(at);
        const int x = list_.tree()->columnViewportPosition(column) + 8;
        QTest::mouseClick(list_.tree()->viewport(), Qt::LeftButton, {}, {x, row.center().y()});
    }

    StudyLook look_ = example();
    RunList list_;
};

TEST_F(RunListTest, TheEyeHidesARunAndAGroup) {
    std::set<std::string> hidden;
    QObject::connect(&list_, &RunList::hidden_asked, [&](const auto& ids) { hidden = ids; });
    click(item("a-s2"), RunList::kEye);
    EXPECT_THAT(hidden, ElementsAre("a-s2"));
    look_.hidden = hidden;
    list_.set_study(look_);
    click(item("a-s1")->parent(), RunList::kEye);  // one is still shown
    EXPECT_TRUE(hidden.empty());
    look_.hidden = hidden;
    list_.set_study(look_);
    click(item("a-s1")->parent(), RunList::kEye);
    EXPECT_THAT(hidden, ElementsAre("a-s1", "a-s2"));
}

// Every click on an eye led back to the selected run, far away.
TEST_F(RunListTest, TheEyeLeavesTheListWhereItIsScrolledTo) {
    list_.resize(220, 90);
    const QScrollBar* bar = list_.tree()->verticalScrollBar();
    ASSERT_GT(bar->maximum(), 0);
    const auto look = [&](const char* selected, std::set<std::string> hidden) {
        look_.selected = {selected};
        look_.hidden = std::move(hidden);
        list_.set_study(look_);
        return bar->value();
    };
    EXPECT_GT(look("a-s1", {}) + look("b-s1", {}), 0) << "what is selected is brought into sight";
    list_.tree()->verticalScrollBar()->setValue(0);
    EXPECT_EQ(look("b-s1", {"a-s2"}), 0);
    EXPECT_EQ(look("b-s1", {}), 0);
    look("a-s1", {});
    EXPECT_GT(look("b-s1", {"a-s2"}), 0);
}

TEST_F(RunListTest, TheEyeOfAGroupIsHalfOpenWhereSomeOfItsRunsAreShown) {
    const auto look = [&](std::set<std::string> hidden) {
        look_.hidden = std::move(hidden);
        list_.set_study(look_);
        const QTreeWidgetItem* group = item("a-s1")->parent();
        return std::pair(group->icon(RunList::kEye).pixmap(16).toImage(),
                         group->toolTip(RunList::kEye).toStdString());
    };
    const auto [open, open_tip] = look({});
    const auto [half, half_tip] = look({"a-s2"});
    const auto [closed, closed_tip] = look({"a-s1", "a-s2"});
    EXPECT_NE(half, open);
    EXPECT_NE(half, closed);
    EXPECT_EQ(half_tip, "1 of 2 are shown; click shows all of them (E)");
    EXPECT_EQ(open_tip, "Shown; click hides it (E)");
    EXPECT_EQ(closed_tip, "Hidden; click shows it (E)");
}

TEST_F(RunListTest, TheStarMakesTheReferenceAndTheNameIsSelected) {
    std::string reference;
    std::vector<std::string> selected;
    QObject::connect(&list_, &RunList::reference_asked, [&](const auto& id) { reference = id; });
    QObject::connect(&list_, &RunList::selection_asked, [&](const auto& ids) { selected = ids; });
    click(item("a-s1"), RunList::kStar);
    EXPECT_EQ(reference, "a-s1");
    EXPECT_TRUE(selected.empty()) << "the marks leave the selection alone";
    click(item("a-s2"), RunList::kName);
    EXPECT_THAT(selected, ElementsAre("a-s2"));
}

TEST_F(RunListTest, KeysDoWhatTheMarksDo) {
    std::set<std::string> hidden;
    std::string reference;
    QObject::connect(&list_, &RunList::hidden_asked, [&](const auto& ids) { hidden = ids; });
    QObject::connect(&list_, &RunList::reference_asked, [&](const auto& id) { reference = id; });
    QTest::keyClick(list_.tree(), Qt::Key_E);
    EXPECT_THAT(hidden, ElementsAre("b-s1"));
    QTest::keyClick(list_.tree(), Qt::Key_Down);
    QTest::keyClick(list_.tree(), Qt::Key_R);
    EXPECT_EQ(reference, "b-s1") << "the last row stays";
}

// What is highlighted is what is selected: else Delete takes runs that look untouched.
TEST_F(RunListTest, RunsOfAGroupAreTakenAndLeftOneByOne) {
    std::vector<std::string> selected;
    QObject::connect(&list_, &RunList::selection_asked, [&](const auto& ids) {
        look_.selected = selected = ids;
        list_.set_study(look_);
    });
    const auto press = [&](QTreeWidgetItem* at, Qt::KeyboardModifiers keys) {
        const QRect row = list_.tree()->visualItemRect(at);
        QTest::mouseClick(list_.tree()->viewport(), Qt::LeftButton, keys,
                          {row.left() + 60, row.center().y()});
        std::vector<std::string> painted;
        for (const QTreeWidgetItem* one : list_.tree()->selectedItems())
            if (const std::string id = one->data(0, Qt::UserRole).toString().toStdString();
                !id.empty())
                painted.push_back(id);
        EXPECT_THAT(painted, UnorderedElementsAreArray(selected));
    };
    QTreeWidgetItem* heading = item("a-s1")->parent();
    press(heading, {});
    EXPECT_THAT(selected, ElementsAre("a-s1", "a-s2"));
    press(item("a-s1"), Qt::ControlModifier);
    EXPECT_THAT(selected, ElementsAre("a-s2"));
    EXPECT_FALSE(heading->isSelected());
    press(item("a-s1"), Qt::ControlModifier);
    EXPECT_TRUE(heading->isSelected()) << "all of it";
    press(item("b-s1"), Qt::ControlModifier);
    EXPECT_THAT(selected, UnorderedElementsAre("a-s1", "a-s2", "b-s1"));
    press(heading, Qt::ControlModifier);
    EXPECT_THAT(selected, ElementsAre("b-s1"));
    press(item("b-s1"), Qt::ControlModifier);
    EXPECT_THAT(selected, ElementsAre("b-s1")) << "one run is always selected";
    press(item("a-s2"), {});
    press(heading, Qt::ShiftModifier);
    EXPECT_THAT(selected, ElementsAre("a-s1", "a-s2"));
    const bool before =
        list_.tree()->visualItemRect(item("b-s1")).y() < list_.tree()->visualItemRect(heading).y();
    press(item("b-s1"), {});
    press(before ? item("a-s1") : item("a-s2"), Qt::ShiftModifier);
    EXPECT_THAT(selected, before ? UnorderedElementsAreArray({"a-s1", "b-s1"})
                                 : UnorderedElementsAreArray({"a-s2", "b-s1"}))
        << "a range across a heading takes what lies in it alone";
}

TEST_F(RunListTest, TheFilterLeavesWhatPasses) {
    QTest::keyClicks(list_.filter(), "gpt2");
    EXPECT_EQ(item("a-s1"), nullptr);
    EXPECT_NE(item("b-s1"), nullptr);
}

TEST_F(RunListTest, FoldedItShowsTheColoursOfAllRuns) {
    list_.set_folded(true);
    EXPECT_LE(list_.minimumWidth(), 48);
    EXPECT_EQ(list_.tree()->topLevelItemCount(), 3);
    EXPECT_EQ(item("a-s1")->text(0), "");
    list_.set_folded(false);
    EXPECT_EQ(item("a-s1")->text(0), "seed 1");
}

TEST_F(RunListTest, ANameThatIsTooLongForItsLineTakesTwo) {
    auto study = std::make_shared<StudySnapshot>(*look_.study);
    study->runs.push_back(
        make_run("c-s1", "SkipV1Former in full · lr 1e-3, weight_decay 0.1", 1, 2));
    look_.study = study;
    list_.set_study(look_);
    QCoreApplication::processEvents();
    const QTreeWidget& tree = *list_.tree();
    const int one = tree.visualItemRect(item("a-s1")).height();
    EXPECT_LT(one, 2 * tree.fontMetrics().height());
    EXPECT_GE(tree.visualItemRect(item("c-s1")).height(), 2 * tree.fontMetrics().height());
    list_.resize(700, 400);
    QCoreApplication::processEvents();
    EXPECT_EQ(tree.visualItemRect(item("c-s1")).height(), one) << "there is room for it now";
}

TEST(NameLines, BreakWhereRunsAreToldApart) {
    const QFontMetrics metrics{QFont()};
    const auto lines = [&](const QString& name, int room) {
        return name_lines(name, metrics, room);
    };
    const QString low = "SkipV1Former · lr 1e-3, seed 2";
    EXPECT_EQ(lines(low, metrics.horizontalAdvance(low)), QStringList{low});
    EXPECT_EQ(lines(low, metrics.horizontalAdvance(low) - 1),
              (QStringList{"SkipV1Former", "lr 1e-3, seed 2"}));
    const QString flat = "baseline-with-a-long-name-s1";
    const QStringList two = lines(flat, metrics.horizontalAdvance("baseline-with-a-l"));
    EXPECT_EQ(two, (QStringList{"baseline-with-a-", "long-name-s1"}));
    for (int pixels = 40; pixels < 200; pixels += 9)
        for (const QString& name : {low, flat, QString("onelongwordwithoutanyplacetobreakit")})
            for (const QString& line : lines(name, pixels))
                EXPECT_LE(metrics.horizontalAdvance(line), pixels) << line.toStdString();
}

TEST(ElidedName, KeepsWhatTellsRunsOfOneVariantApart) {
    const QFontMetrics metrics{QFont()};
    const QString low = "SkipV1Former · lr 1e-3  ×2", high = "SkipV1Former · lr 4e-3  ×2";
    const int whole = metrics.horizontalAdvance(low);
    EXPECT_EQ(elided_name(low, metrics, whole), low);
    const int room = whole - metrics.horizontalAdvance("V1Former");
    EXPECT_TRUE(elided_name(low, metrics, room).startsWith("S"));
    EXPECT_TRUE(elided_name(low, metrics, room).endsWith("… lr 1e-3  ×2"));
    EXPECT_NE(elided_name(low, metrics, room), elided_name(high, metrics, room));
    for (int pixels = 30; pixels < whole; pixels += 7)
        EXPECT_LE(metrics.horizontalAdvance(elided_name(low, metrics, pixels)), pixels);
}

// "…lr 1e-4" was the end of min_lr 1e-4, beside a rate of 1e-3.
TEST(NameLines, LeaveOutWholeSettings) {
    const QFontMetrics metrics{QFont()};
    const QString name = "boom · lr 1e-3, min_lr 1e-4, grad_clip 1";
    const auto second = [&](const QString& like) {
        const QStringList lines = name_lines(name, metrics, metrics.horizontalAdvance(like) + 2);
        return lines.size() == 2 ? lines[1].toStdString() : lines.join('\n').toStdString();
    };
    EXPECT_EQ(second("lr 1e-3, min_lr 1e-4, grad_clip 1"), "lr 1e-3, min_lr 1e-4, grad_clip 1");
    for (const char* like : {"…, min_lr 1e-4, grad_clip 1", "…, grad_clip 1"})
        EXPECT_EQ(second(like), like);
    for (int room = 20; room < metrics.horizontalAdvance(name); ++room)
        for (const QString& line : name_lines(name, metrics, room))
            EXPECT_FALSE(line.contains("…lr")) << line.toStdString();
}

TEST(ElidedName, KeepsTheVariantAndTheWholeValue) {
    const QFontMetrics metrics{QFont()};
    const QString a = "baseline · weight_decay 0.03125, seed 2";
    const QString b = "W_Q = I · weight_decay 0.03125, seed 2";
    const int room = metrics.horizontalAdvance("base… weig… 0.03125, seed 2");
    EXPECT_NE(elided_name(a, metrics, room), elided_name(b, metrics, room));
    for (const QString& name : {a, b}) {
        EXPECT_TRUE(elided_name(name, metrics, room).startsWith(name.left(3)));
        EXPECT_TRUE(elided_name(name, metrics, room).endsWith(" 0.03125, seed 2"));
        for (int pixels = 12; pixels < 300; pixels += 5)
            EXPECT_LE(metrics.horizontalAdvance(elided_name(name, metrics, pixels)), pixels);
    }
    const QString group = "baseline · weight_decay 0.03125  ×5";
    const QStringList two =
        name_lines(group, metrics, metrics.horizontalAdvance("weig… 0.03125  ×5"));
    EXPECT_EQ(two.front(), "baseline");
    EXPECT_TRUE(two.back().endsWith("… 0.03125  ×5")) << two.back().toStdString();
}

}  // namespace
}  // namespace headroom
