#include "panels/loss/evidence_widget.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "tests/panels/study/measured_run.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class EvidenceWidgetTest : public testing::Test {
  protected:
    void compare(const std::string& baseline, const std::string& metric = "") {
        QSignalSpy compared(&widget_, &EvidenceWidget::compared);
        LossSettings settings;
        settings.baseline = baseline;
        settings.metric = metric;
        widget_.show_runs(table_5(), settings, 0);
        ASSERT_TRUE(compared.wait(30'000));
    }
    QToolButton& copy() { return *widget_.findChild<QToolButton*>("evidenceCopy"); }
    std::string copied_as(const QString& format) {
        QApplication::clipboard()->clear();
        for (QAction* action : copy().menu()->actions())
            if (action->text().startsWith(format)) action->trigger();
        return QApplication::clipboard()->text().toStdString();
    }

    EvidenceWidget widget_;
};

TEST_F(EvidenceWidgetTest, IsCopiedForAPaper) {
    compare("base-s100");
    EXPECT_FALSE(copy().isHidden());
    EXPECT_THAT(copied_as("CSV"), StartsWith("variant,baseline,n,mean,"));
    EXPECT_THAT(copied_as("Markdown"), HasSubstr("| base | 3 | 2.7400 ± 0.0154 | baseline |"));
    EXPECT_THAT(copied_as("LaTeX"), HasSubstr("skip & 3 & 2.7287 $\\pm$ 0.0163 & $-$0.0113 & "));
}

// Seconds stood under a heading that losses have, too.
TEST_F(EvidenceWidgetTest, SaysWhichSeriesItIsOf) {
    const QTreeWidgetItem& head = *widget_.findChild<QTreeWidget*>("evidence")->headerItem();
    compare("base-s100");
    EXPECT_EQ(head.text(2), "Mean ± sd");
    compare("base-s100", "train/grad_norm");
    EXPECT_EQ(head.text(2), "train/grad_norm: mean ± sd");
}

TEST_F(EvidenceWidgetTest, WithNothingToCompareNothingIsCopied) {
    compare("elsewhere");
    EXPECT_TRUE(copy().isHidden());
}

}  // namespace
}  // namespace headroom
