#include "panels/loss/evidence_widget.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"
#include "panels/qt/copy_table_button.h"
#include "panels/qt/count_table.h"
#include "panels/study/comparison_rows.h"

namespace headroom {
namespace {

constexpr int kTableHeight = 150;  // always: the chart above keeps its place when numbers arrive

/// Of what the numbers depend on: they are of runs that have ended.
std::string key_of(const std::vector<RunPointer>& runs, const LossSettings& settings) {
    std::string key = settings.baseline + "\n" + settings.metric + "\n";
    for (const RunPointer& run : runs)
        key +=
            fmt::format("{} {} {} {} {} {} {} {}\n", run->id, run->group, run->color, run->seed,
                        run->repeats, run->series->generation, static_cast<int>(run->series->state),
                        is_final(run->series->state) ? run->series->val.step.size() : 0);
    return key;
}

}  // namespace

EvidenceWidget::EvidenceWidget(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      table_(new QTreeWidget(this)),
      warnings_(new QLabel(this)),
      copy_(new CopyTableButton(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 4);
    column->setSpacing(2);
    column->addWidget(table_);
    auto* below = new QHBoxLayout;
    below->addWidget(warnings_, 1);
    below->addStretch();
    below->addWidget(copy_, 0, Qt::AlignBottom);
    column->addLayout(below);
    QStringList heads;
    for (const std::string& head : comparison_columns()) heads << QString::fromStdString(head);
    table_->setObjectName("evidence");
    table_->setAccessibleName(tr("Differences from the reference"));
    table_->setHeaderLabels(heads);
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    style_count_table(*table_);
    warnings_->setObjectName("evidenceWarnings");
    warnings_->setWordWrap(true);
    copy_->setObjectName("evidenceCopy");
    copy_->hide();
    copy_->set_source([this] { return comparison_csv(*evidence_.comparison); },
                      [this] { return printed_table(*evidence_.comparison); });
    setFixedHeight(kTableHeight);
    task_ = std::make_unique<LatestTask<Request, Evidence>>(
        [](const Request& request) {
            Evidence evidence = build_evidence(request.runs, request.settings);
            if (request.hidden > 0)
                evidence.warnings.insert(
                    evidence.warnings.begin(),
                    fmt::format("{} hidden run{} counted here, too", request.hidden,
                                request.hidden == 1 ? " is" : "s are"));
            return evidence;
        },
        [this](const Evidence& evidence) {
            QMetaObject::invokeMethod(
                this, [this, evidence] { show_evidence(evidence); }, Qt::QueuedConnection);
        });
}

EvidenceWidget::~EvidenceWidget() {
    task_.reset();
}

void EvidenceWidget::show_runs(const std::vector<RunPointer>& runs, const LossSettings& settings,
                               int hidden) {
    if (settings.baseline.empty()) return;
    std::string key = key_of(runs, settings) + fmt::to_string(hidden);
    if (key == compared_) return;
    compared_ = std::move(key);
    task_->request({runs, settings, hidden});
}

void EvidenceWidget::set_theme(const Theme& theme) {
    theme_ = theme;
    show_evidence(std::move(evidence_));
}

void EvidenceWidget::show_evidence(Evidence evidence) {
    evidence_ = std::move(evidence);
    table_->clear();
    table_->setVisible(!evidence_.rows.empty());
    copy_->setVisible(evidence_.comparison.has_value());
    table_->setToolTip(QString::fromStdString(evidence_.title));
    if (const auto& comparison = evidence_.comparison) {
        constexpr int kMean = 2;
        const QString mean = QString::fromStdString(comparison_columns()[kMean]);
        const QString series = QString::fromStdString(comparison->measure.series);
        table_->headerItem()->setText(kMean,
                                      series.isEmpty() ? mean : series + ": " + mean.toLower());
    }
    for (size_t i = 0; i < evidence_.rows.size(); ++i) {
        auto* item = new QTreeWidgetItem(table_);
        for (size_t c = 0; c < evidence_.rows[i].size(); ++c)
            item->setText(static_cast<int>(c), QString::fromStdString(evidence_.rows[i][c]));
        item->setForeground(0, to_qcolor(palette_color(evidence_.colors[i], theme_.dark)));
    }
    constexpr size_t kMostLines = 3;
    std::vector<std::string> lines = evidence_.warnings;
    if (lines.size() > kMostLines) {
        const size_t more = lines.size() - kMostLines + 1;
        lines.resize(kMostLines - 1);
        lines.push_back(fmt::format("and {} more", more));
    }
    const std::string all = fmt::format("{}", fmt::join(evidence_.warnings, "\n"));
    warnings_->setVisible(!lines.empty());
    warnings_->setText(QString::fromStdString("⚠ " + fmt::format("{}", fmt::join(lines, " · "))));
    warnings_->setToolTip(QString::fromStdString(all));
    emit compared();
}

}  // namespace headroom
