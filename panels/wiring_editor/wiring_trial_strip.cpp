#include "panels/wiring_editor/wiring_trial_strip.h"

#include <QComboBox>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "panels/base/numbering.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"

namespace headroom {

namespace {

/// A table of one model fits no other sizes, whatever the way.
bool has_sizes_of(const ModelConfig& trained, const ModelConfig& drawn) {
    return !trained.mla && !drawn.mla && trained.n_layer == drawn.n_layer &&
           trained.n_head == drawn.n_head && trained.d_head == drawn.d_head &&
           trained.n_kv_head % drawn.n_kv_head == 0;
}

void set_choosable(QComboBox* box, int index, bool choosable) {
    QStandardItem* item = qobject_cast<QStandardItemModel*>(box->model())->item(index);
    item->setFlags(choosable ? item->flags() | Qt::ItemIsEnabled
                             : item->flags() & ~Qt::ItemIsEnabled);
}

}  // namespace

WiringTrialStrip::WiringTrialStrip(QWidget* parent)
    : QWidget(parent),
      runs_(new QComboBox),
      ways_(new QComboBox),
      sequences_(new QSpinBox),
      try_(new QPushButton),
      progress_(new QProgressBar),
      answer_(new QLabel) {
    runs_->setObjectName("trialRun");
    runs_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    runs_->setMinimumContentsLength(14);
    runs_->setToolTip(tr("A trained run of these sizes: its newest checkpoint, on its own data"));
    ways_->setObjectName("trialWay");
    ways_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    ways_->setMinimumContentsLength(11);
    sequences_->setObjectName("trialSequences");
    sequences_->setRange(1, 4096);
    sequences_->setValue(16);
    sequences_->setToolTip(tr("Sequences of the run's validation data, each read by both models"));
    try_->setObjectName("trialTry");
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(100);
    answer_->setObjectName("trialAnswer");
    answer_->setWordWrap(true);
    answer_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    answer_->setContentsMargins(8, 0, 8, 4);
    auto* strip = new QWidget;
    auto* row = new FlowLayout(strip, 6);
    row->setContentsMargins(8, 0, 8, 4);
    row->addWidget(with_label(tr("Try on"), runs_, strip));
    row->addWidget(with_label(tr("Sources"), ways_, strip));
    row->addWidget(with_label(tr("Sequences"), sequences_, strip));
    row->addWidget(try_);
    row->addWidget(progress_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip);
    column->addWidget(answer_);
    connect(try_, &QPushButton::clicked, this,
            [this] { running_ ? emit stop_asked() : emit try_asked(); });
    connect(runs_, &QComboBox::activated, this, [this] {
        chosen_by_hand_ = true;
        fill_ways();
    });
    connect(ways_, &QComboBox::currentIndexChanged, this, [this] { set_running(running_); });
    set_running(false);
    show_answer();
}

void WiringTrialStrip::set_runs(std::vector<TrialRun> runs, const std::string& preferred) {
    if (runs == known_ && preferred == preferred_) return;
    if (preferred != preferred_) chosen_by_hand_ = false;
    known_ = std::move(runs);
    preferred_ = preferred;
    if (drawn_) offer_runs();
}

void WiringTrialStrip::set_drawing(const WiringDrawing& drawn) {
    drawn_ = drawn.job;
    projected_ = drawn.projected;
    offer_runs();
}

void WiringTrialStrip::offer_runs() {
    const QString chosen =
        chosen_by_hand_ ? runs_->currentData().toString() : QString::fromStdString(preferred_);
    offered_.clear();
    for (const TrialRun& run : known_)
        if (has_sizes_of(run.job->model, drawn_->model)) offered_.push_back(run);
    runs_->clear();
    for (const TrialRun& run : offered_)
        runs_->addItem(QString::fromStdString(run.name), QString::fromStdString(run.id));
    runs_->setCurrentIndex(std::max(runs_->findData(chosen), offered_.empty() ? -1 : 0));
    runs_->setPlaceholderText(tr("no trained run"));
    fill_ways();
    show_answer();
}

void WiringTrialStrip::fill_ways() {
    const QString chosen = ways_->currentData().toString();
    const QSignalBlocker quiet(ways_);
    ways_->clear();
    if (runs_->currentIndex() >= 0) {
        const ModelConfig& trained =
            offered_[static_cast<size_t>(runs_->currentIndex())].job->model;
        for (const TrialWay& way : trial_ways(trained, drawn_->model, projected_)) {
            ways_->addItem(QString::fromStdString(way.title), QString::fromStdString(way.name));
            const int index = ways_->count() - 1;
            ways_->setItemData(index, QString::fromStdString(in_shown_numbers(way.refusal)),
                               Qt::ToolTipRole);
            set_choosable(ways_, index, way.refusal.empty());
        }
        const int index = ways_->findData(chosen);
        ways_->setCurrentIndex(std::max(index, 0));
    }
    set_running(running_);
}

bool WiringTrialStrip::can_try() const {
    return runs_->currentIndex() >= 0 && ways_->currentIndex() >= 0 &&
           ways_->currentData(Qt::ToolTipRole).toString().isEmpty();
}

const TrialRun& WiringTrialStrip::run() const {
    return offered_[static_cast<size_t>(runs_->currentIndex())];
}

std::string WiringTrialStrip::way() const {
    return ways_->currentData().toString().toStdString();
}

int64_t WiringTrialStrip::sequences() const {
    return sequences_->value();
}

void WiringTrialStrip::set_running(bool running) {
    if (running && !running_) {
        asked_drawing_ = drawn_;
        asked_ = run().name + ", " + ways_->currentText().toStdString();
        said_.clear();
        progress_->setValue(0);
    }
    running_ = running;
    try_->setText(running ? tr("Stop") : tr("Try"));
    try_->setEnabled(running || can_try());
    const QString why = !drawn_ ? QString()
                        : runs_->currentIndex() < 0
                            ? tr("No trained run of this study has the drawing's sizes.")
                            : ways_->currentData(Qt::ToolTipRole).toString();
    try_->setToolTip(why.isEmpty()
                         ? tr("headroom probe wiring: the loss of the trained weights with this "
                              "wiring, without training")
                         : why);
    ways_->setToolTip(
        tr("How weights become those of the drawing: sources are read as they are, or layers that "
           "keep half of their values, or groups of heads, are converted as for uptraining"));
    progress_->setVisible(running);
    show_answer();
}

void WiringTrialStrip::show_progress(double share) {
    progress_->setValue(static_cast<int>(share * 1000));
}

void WiringTrialStrip::take_answer(const WiringTrial& trial) {
    said_ = asked_ + ": " + trial_words(trial);
    is_problem_ = false;
    show_answer();
}

void WiringTrialStrip::show_problem(const QString& problem) {
    said_ = problem.toStdString();
    is_problem_ = true;
    show_answer();
}

void WiringTrialStrip::show_answer() {
    const bool is_old = !said_.empty() && !is_problem_ && !(*asked_drawing_ == *drawn_);
    show_text(answer_, is_old ? tr("Of an earlier drawing: ").toStdString() + said_ : said_);
}

}  // namespace headroom
