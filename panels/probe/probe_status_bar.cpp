#include "panels/probe/probe_status_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

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

/// "a, b, c and 2 more".
static QString listed(const QStringList& names) {
    constexpr qsizetype kMostNames = 3;
    const qsizetype more = names.size() - kMostNames;
    const QString said = names.mid(0, kMostNames).join(", ");
    return more > 0 ? ProbeStatusBar::tr("%1 and %2 more").arg(said).arg(more) : said;
}

void ProbeStatusBar::show_state(const std::string& kind, const FoundProbes& found, int busy,
                                const std::string& problem) {
    const bool ready = !ids_to_probe(found).empty();
    setVisible(!found.missing.empty() || !found.outdated.empty() || busy > 0 || !problem.empty());
    button_->setText(tr("Probe"));
    button_->setToolTip(tr("Runs “headroom probe %1” on the newest checkpoints of these runs")
                            .arg(QString::fromStdString(kind)));
    button_->setVisible(ready && busy == 0);
    if (busy > 0) return text_->setText(tr("%n run(s) being probed…", nullptr, busy));
    if (!problem.empty()) return text_->setText(QString::fromStdString(problem));
    QStringList missing, outdated, said;
    for (const ProbeableRun& run : found.missing) missing << QString::fromStdString(run.name);
    for (const auto& [run, step] : found.outdated)
        outdated << tr("%1 (step %2 of %3)")
                        .arg(QString::fromStdString(run.name))
                        .arg(step)
                        .arg(run.newest_checkpoint);
    text_->setToolTip((missing + outdated).size() > 3 ? (missing + outdated).join("\n")
                                                      : QString());
    if (!missing.empty())
        said << (ready ? tr("Not probed yet: %1") : tr("Not probed yet, without a checkpoint: %1"))
                    .arg(listed(missing));
    if (!outdated.empty()) said << tr("Probed before they trained on: %1").arg(listed(outdated));
    text_->setText(said.join(" · "));
}

}  // namespace headroom
