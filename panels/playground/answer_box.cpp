#include "panels/playground/answer_box.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/qt/elided_combo_box.h"
#include "panels/qt/qt_theme.h"
#include "panels/qt/style_property.h"
#include "panels/run_list/run_list_icons.h"

namespace headroom {
namespace {

QIcon run_icon(const TryCheckpoint& of, const Theme& theme, double ratio) {
    return of.color < 0 ? QIcon() : run_dot(of.color, of.shade, true, theme, ratio);
}

QLabel* small_print(const char* name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setProperty("role", "muted");
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

AnswerBox::AnswerBox(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      choice_(new ElidedComboBox),
      remove_(new QToolButton),
      text_(new AnswerEditor),
      progress_(small_print("answerProgress")),
      cache_(small_print("answerCache")),
      token_(small_print("answerToken")) {
    choice_->setObjectName("answerCheckpoint");
    choice_->setToolTip(tr("The checkpoint that speaks"));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(10);
    remove_->setText("×");
    remove_->setObjectName("removeAnswer");
    remove_->setToolTip(tr("Take this model away"));
    remove_->setAccessibleName(remove_->toolTip());
    text_->setObjectName("answerText");
    text_->setPlaceholderText(tr("Generate shows how this model continues the text."));
    auto* head = new QHBoxLayout;
    head->addWidget(choice_, 1);
    head->addWidget(remove_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 2, 4, 4);
    column->setSpacing(3);
    column->addLayout(head);
    column->addWidget(text_, 1);
    for (QLabel* label : {progress_, cache_, token_}) column->addWidget(label);
    connect(choice_, &QComboBox::activated, this, &AnswerBox::chosen);
    connect(remove_, &QToolButton::clicked, this, &AnswerBox::remove_asked);
    connect(text_, &AnswerEditor::token_pointed, this, &AnswerBox::show_token);
    show_token(std::nullopt);
}

void AnswerBox::set_checkpoints(const std::vector<TryCheckpoint>& checkpoints) {
    if (checkpoints == checkpoints_) return;  // an open list stays open
    const QSignalBlocker blocker(choice_);
    const QString chosen = choice_->currentData().toString();
    const int before = choice_->currentIndex();
    const std::string run = before < 0 ? "" : checkpoints_[static_cast<size_t>(before)].run_id;
    checkpoints_ = checkpoints;
    choice_->clear();
    for (const TryCheckpoint& each : checkpoints)
        choice_->addItem(run_icon(each, theme_, devicePixelRatioF()),
                         QString::fromStdString(checkpoint_title(each)),
                         QString::fromStdString(each.path));
    const int at = choice_->findData(chosen);
    if (at >= 0) return choice_->setCurrentIndex(at);
    for (const size_t newest : newest_checkpoints(checkpoints, {run}, 1)) choose(newest);
}

void AnswerBox::choose(size_t index) {
    const QSignalBlocker blocker(choice_);
    choice_->setCurrentIndex(static_cast<int>(index));
}

std::string AnswerBox::checkpoint() const {
    return choice_->currentData().toString().toStdString();
}

std::vector<std::string> AnswerBox::sets() const {
    const int at = choice_->currentIndex();
    return at < 0 ? std::vector<std::string>{} : checkpoints_[static_cast<size_t>(at)].sets;
}

std::string AnswerBox::name() const {
    if (answer_.phase != AnswerPhase::kNone) return name_;
    const int at = choice_->currentIndex();
    return at < 0 ? "" : checkpoints_[static_cast<size_t>(at)].run_name;
}

void AnswerBox::set_look(const Theme& theme, bool shade) {
    theme_ = theme;
    text_->set_look(theme, shade);
    for (int i = 0; i < choice_->count(); ++i)
        choice_->setItemIcon(
            i, run_icon(checkpoints_[static_cast<size_t>(i)], theme, devicePixelRatioF()));
    if (answer_.phase == AnswerPhase::kNone) return;
    text_->begin(prompt_);
    text_->append(answer_);
}

void AnswerBox::set_removable(bool removable) {
    remove_->setVisible(removable);
}

void AnswerBox::begin(const std::string& prompt, AnswerPhase phase, bool shared) {
    answer_ = {};
    name_ = name();
    answer_.phase = phase;
    answer_.shared = shared;
    prompt_ = prompt;
    text_->begin(prompt);
    show_token(std::nullopt);
}

void AnswerBox::refresh(const AnswerBox* first) {
    text_->append(answer_);
    std::string progress = progress_line(answer_);
    if (first != nullptr)
        if (const std::string alike = likeness_line(answer_, first->answer(), first->name());
            !alike.empty())
            progress += " · " + alike;
    for (const std::string& note : answer_.notes) progress += " · " + note;
    set_style_property(*progress_, "role",
                       answer_.phase == AnswerPhase::kFailed ? "error" : "muted");
    progress_->setText(QString::fromStdString(progress));
    cache_->setText(QString::fromStdString(cache_line(answer_)));
}

void AnswerBox::show_token(std::optional<size_t> token) {
    const bool known = token && *token < answer_.tokens.size();
    token_->setText(known ? QString::fromStdString(token_line(answer_, *token))
                          : tr("Point at a token to see how likely it was."));
    token_->setVisible(known || !answer_.tokens.empty());
}

}  // namespace headroom
