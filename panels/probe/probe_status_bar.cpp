#include "panels/probe/probe_status_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

namespace headroom {

ProbeStatusBar::ProbeStatusBar(QWidget* parent)
    : QWidget(parent), text_(new QLabel), button_(new QPushButton) {
    text_->setObjectName("probeState");
    text_->setWordWrap(true);
    button_->setObjectName("startProbe");
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 2, 8, 4);
    row->addWidget(text_, 1);
    row->addWidget(button_);
    connect(button_, &QPushButton::clicked, this, &ProbeStatusBar::probe_asked);
    hide();  // until it is known what is missing
}

void ProbeStatusBar::show_state(const std::string& kind, const std::vector<ProbeableRun>& missing,
                                int busy, const std::string& problem) {
    const auto ready = std::count_if(missing.begin(), missing.end(),
                                     [](const ProbeableRun& run) { return run.has_checkpoint; });
    setVisible(!missing.empty() || busy > 0 || !problem.empty());
    button_->setText(tr("Probe"));
    button_->setToolTip(tr("Runs “headroom probe %1” on the newest checkpoints of these runs")
                            .arg(QString::fromStdString(kind)));
    button_->setVisible(ready > 0 && busy == 0);
    if (busy > 0) return text_->setText(tr("%n run(s) being probed…", nullptr, busy));
    if (!problem.empty()) return text_->setText(QString::fromStdString(problem));
    QStringList names;
    for (const ProbeableRun& run : missing) names << QString::fromStdString(run.name);
    constexpr qsizetype kMostNames = 3;
    const qsizetype more = names.size() - kMostNames;
    text_->setToolTip(more > 0 ? names.join("\n") : QString());
    QString said = names.mid(0, kMostNames).join(", ");
    if (more > 0) said = tr("%1 and %2 more").arg(said).arg(more);
    text_->setText(ready > 0 ? tr("Not probed yet: %1").arg(said)
                             : tr("Not probed yet, without a checkpoint: %1").arg(said));
}

}  // namespace headroom
