#include "panels/launch/match_box.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {

static QString text_of(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Short, for the row must fit beside the runs.
static QString title_of(MatchMeasure measure) {
    switch (measure) {
        case MatchMeasure::kParams:
            return MatchBox::tr("parameters");
        case MatchMeasure::kNonEmbedding:
            return MatchBox::tr("non-embedding");
        case MatchMeasure::kFlops:
            return MatchBox::tr("training FLOPs");
        case MatchMeasure::kCache:
            return MatchBox::tr("cache bytes");
    }
    return {};
}

static QLabel* wrapped(const char* role) {
    auto* label = new QLabel;
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->hide();
    return label;
}

MatchBox::MatchBox(QWidget* parent)
    : QWidget(parent),
      baseline_(new QComboBox),
      measure_(new QComboBox),
      vary_(new QComboBox),
      find_(new QPushButton(tr("Find sizes"))),
      rows_(new QGridLayout),
      sentence_(wrapped("muted")),
      error_(wrapped("error")) {
    baseline_->setObjectName("matchBaseline");
    measure_->setObjectName("matchBy");
    vary_->setObjectName("matchVary");
    find_->setObjectName("matchFind");
    find_->setAutoDefault(false);
    for (QComboBox* box : {baseline_, measure_, vary_}) WheelGuard::protect(box);
    baseline_->setMinimumContentsLength(14);
    baseline_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    baseline_->setToolTip(
        tr("The model whose count is to be met: a preset or a run of this study"));
    measure_->setToolTip(tr("What to make equal"));
    vary_->setToolTip(tr("The size that may change for it"));
    find_->setToolTip(tr("Of several variants each gets a size of its own"));
    for (const MatchMeasure measure : kMatchMeasures) measure_->addItem(title_of(measure));
    vary_->addItem(tr("any size"));
    for (const MatchKey key : kMatchKeys) vary_->addItem(text_of(name_of(key)));
    auto* row = new FlowLayout(nullptr, 8);
    row->addWidget(baseline_);
    row->addWidget(measure_);
    row->addWidget(vary_);
    row->addWidget(find_);
    rows_->setHorizontalSpacing(12);
    rows_->setVerticalSpacing(4);
    rows_->setColumnStretch(1, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    column->addLayout(row);
    column->addLayout(rows_);
    column->addWidget(sentence_);
    column->addWidget(error_);
    connect(baseline_, &QComboBox::textActivated, this,
            [this](const QString& name) { chosen_ = name; });
    connect(find_, &QPushButton::clicked, this, [this] { emit asked(question()); });
}

MatchQuestion MatchBox::question() const {
    MatchQuestion question;
    question.baseline = baseline_->currentText().toStdString();
    question.measure = kMatchMeasures[static_cast<size_t>(measure_->currentIndex())];
    if (vary_->currentIndex() > 0)
        question.vary = kMatchKeys[static_cast<size_t>(vary_->currentIndex() - 1)];
    return question;
}

void MatchBox::set_baselines(const std::vector<std::string>& names, const std::string& usual) {
    if (static_cast<size_t>(baseline_->count()) != names.size()) {
        baseline_->clear();
        for (const std::string& name : names) baseline_->addItem(QString::fromStdString(name));
    }
    int at = chosen_.isEmpty() ? -1 : baseline_->findText(chosen_);
    if (at < 0) at = baseline_->findText(QString::fromStdString(usual));
    if (at >= 0) baseline_->setCurrentIndex(at);
}

void MatchBox::add_row(const MatchProposal& proposal) {
    auto* use = new QPushButton(tr("Use %1").arg(QString::fromStdString(proposal.label)));
    use->setAutoDefault(false);
    auto* effect = new QLabel(QString::fromStdString(proposal.effect));
    effect->setWordWrap(true);
    if (!proposal.exact) effect->setProperty("role", "muted");
    const int row = static_cast<int>(uses_.size());
    rows_->addWidget(use, row, 0);
    rows_->addWidget(effect, row, 1);
    connect(use, &QPushButton::clicked, this, [this, proposal] { emit chosen(proposal); });
    uses_.push_back(use);
}

void MatchBox::show_match(const LaunchMatch& match) {
    clear();
    for (const MatchProposal& proposal : match.proposals) add_row(proposal);
    show_text(sentence_, match.sentence);
    show_text(error_, match.error);
}

void MatchBox::clear(const std::string& note) {
    while (QLayoutItem* item = rows_->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();  // it may be the button whose click is being handled
        delete item;
    }
    uses_.clear();
    show_text(sentence_, note);
    show_text(error_, "");
}

}  // namespace headroom
