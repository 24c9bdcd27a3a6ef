#include "panels/playground/try_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "panels/qt/flow_layout.h"
#include "panels/qt/rest_line.h"

namespace headroom {
namespace {

constexpr int kRefreshMs = 30;
constexpr int kPromptLines = 3;

QDoubleSpinBox* real_box(const char* name, double least, double most, double step) {
    auto* box = new QDoubleSpinBox;
    box->setObjectName(name);
    box->setRange(least, most);
    box->setDecimals(2);
    box->setSingleStep(step);
    return box;
}

QSpinBox* whole_box(const char* name, int least, int most) {
    auto* box = new QSpinBox;
    box->setObjectName(name);
    box->setRange(least, most);
    return box;
}

}  // namespace

TryPanel::TryPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      prompt_(new QPlainTextEdit),
      temperature_(real_box("tryTemperature", 0.01, 10, 0.1)),
      top_k_(whole_box("tryTopK", 0, 1000000)),
      top_p_(real_box("tryTopP", 0.01, 1, 0.05)),
      max_new_(whole_box("tryMaxNew", 1, 100000)),
      seed_(whole_box("trySeed", 0, 999999999)),
      greedy_(new QCheckBox(tr("Greedy"))),
      in_turns_(new QCheckBox(tr("One after the other"))),
      shade_(new QCheckBox(tr("Shade surprises"))),
      add_(new QToolButton),
      button_(new QPushButton),
      empty_(new QLabel(tr("No run has a checkpoint yet: one is written when a run ends, and every "
                           "train.checkpoint_every steps before."))),
      columns_(new QSplitter),
      rest_(new RestLine) {
    prompt_->setObjectName("tryPrompt");
    prompt_->setPlaceholderText(tr("A text to continue"));
    prompt_->setAccessibleName(tr("Prompt"));
    temperature_->setAccessibleName(tr("Temperature"));
    top_k_->setAccessibleName(tr("Top k"));
    top_p_->setAccessibleName(tr("Top p"));
    max_new_->setAccessibleName(tr("Most tokens to make"));
    seed_->setAccessibleName(tr("Seed"));
    prompt_->setTabChangesFocus(true);
    prompt_->setFixedHeight(prompt_->fontMetrics().lineSpacing() * kPromptLines + 18);
    empty_->setWordWrap(true);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setMargin(24);
    empty_->setProperty("role", "muted");
    columns_->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(4, 6, 4, 0);
    column->setSpacing(0);
    auto* around_prompt = new QVBoxLayout;
    around_prompt->setContentsMargins(4, 0, 4, 0);
    around_prompt->addWidget(prompt_);
    column->addLayout(around_prompt);
    column->addWidget(make_strip());
    column->addWidget(empty_, 1);
    column->addWidget(columns_, 1);
    column->addWidget(rest_);
    refresh_.setSingleShot(true);
    refresh_.setInterval(kRefreshMs);
    connect_controls();
    set_settings({});
    update_controls();
}

QWidget* TryPanel::make_strip() {
    temperature_->setPrefix(tr("temperature "));
    temperature_->setToolTip(
        tr("Divides the logits: below 1 more of the likely, above 1 more daring"));
    top_k_->setPrefix(tr("top "));
    top_k_->setSpecialValueText(tr("all tokens"));
    top_k_->setToolTip(tr("Draw among the K most likely tokens (top-k)"));
    top_p_->setPrefix(tr("p ≤ "));
    top_p_->setToolTip(
        tr("Draw among the fewest tokens whose probabilities add up to P (top-p, nucleus)"));
    max_new_->setSuffix(tr(" tokens"));
    max_new_->setGroupSeparatorShown(true);
    max_new_->setToolTip(tr("Most tokens to make"));
    seed_->setPrefix(tr("seed "));
    seed_->setToolTip(tr("The same seed draws the same random numbers for every model"));
    greedy_->setObjectName("tryGreedy");
    greedy_->setToolTip(tr("Take the most likely token each time"));
    in_turns_->setObjectName("tryInTurns");
    in_turns_->setToolTip(tr("One model after the other, so that their speeds can be compared"));
    shade_->setObjectName("tryShade");
    shade_->setToolTip(tr("Tint tokens that the model itself held unlikely"));
    add_->setObjectName("addAnswer");
    add_->setText(tr("+ Model"));
    add_->setToolTip(tr("Set another checkpoint beside; up to four"));
    button_->setObjectName("tryButton");
    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(4, 6, 4, 4);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{button_, max_new_, temperature_, top_k_, top_p_, seed_,
                                         greedy_, in_turns_, shade_, add_})
        flow->addWidget(widget);
    return strip;
}

void TryPanel::connect_controls() {
    connect(button_, &QPushButton::clicked, this, &TryPanel::generate_or_stop);
    connect(prompt_, &QPlainTextEdit::textChanged, this, &TryPanel::update_controls);
    connect(greedy_, &QCheckBox::toggled, this, &TryPanel::update_controls);
    connect(shade_, &QCheckBox::toggled, this, [this] { set_theme(theme_); });
    connect(add_, &QToolButton::clicked, this, [this] {
        AnswerBox* box = add_box();
        if (boxes_.size() > 1)
            box->choose(static_cast<size_t>(
                std::max(boxes_[boxes_.size() - 2]->choice()->currentIndex(), 0)));
        update_controls();
    });
    connect(&refresh_, &QTimer::timeout, this, &TryPanel::refresh);
}

AnswerBox* TryPanel::add_box() {
    auto* box = new AnswerBox;
    boxes_.push_back(box);
    columns_->addWidget(box);
    box->set_look(theme_, shade_->isChecked());
    box->set_checkpoints(checkpoints_);
    connect(box, &AnswerBox::remove_asked, this, [this, box] { remove_box(box); });
    return box;
}

void TryPanel::remove_box(AnswerBox* box) {
    if (is_busy() || boxes_.size() < 2) return;
    std::erase(boxes_, box);
    rest_->hide();  // who takes one away has chosen
    box->hide();
    box->deleteLater();
    refresh();
}

void TryPanel::set_checkpoints(const std::vector<TryCheckpoint>& checkpoints) {
    if (checkpoints == checkpoints_) return;
    checkpoints_ = checkpoints;
    for (AnswerBox* box : boxes_) box->set_checkpoints(checkpoints);
    if (boxes_.empty()) take_selection();
    update_controls();
}

void TryPanel::select_runs(const std::vector<std::string>& run_ids) {
    if (run_ids == selected_) return;  // a poll without news
    selected_ = run_ids;
    selection_waits_ = is_busy();
    if (!selection_waits_) take_selection();
}

void TryPanel::take_selection() {
    selection_waits_ = false;
    const std::vector<size_t> all =
        newest_checkpoints(checkpoints_, selected_, checkpoints_.size());
    const size_t shown = std::min(all.size(), kMostAnswers);
    set_boxes({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(shown)});
    rest_->set_shown(shown, all.size());
    update_controls();
}

void TryPanel::set_boxes(const std::vector<size_t>& checkpoints) {
    std::vector<AnswerBox*> old;
    old.swap(boxes_);
    for (const size_t index : checkpoints) {
        const auto same = std::find_if(old.begin(), old.end(), [&](const AnswerBox* box) {
            return box->checkpoint() == checkpoints_[index].path;
        });
        if (same == old.end()) {
            add_box()->choose(index);
            continue;
        }
        boxes_.push_back(*same);  // what it said stays
        columns_->addWidget(*same);
        old.erase(same);
    }
    for (AnswerBox* box : old) {
        box->hide();
        box->deleteLater();
    }
    refresh();
}

void TryPanel::clear() {
    selected_.clear();
    checkpoints_.clear();
    set_boxes({});
    update_controls();
}

TrySettings TryPanel::settings() const {
    TrySettings settings;
    settings.prompt = prompt_->toPlainText().toStdString();
    settings.sampling.temperature = temperature_->value();
    settings.sampling.top_k = top_k_->value();
    settings.sampling.top_p = top_p_->value();
    settings.sampling.seed = static_cast<uint64_t>(seed_->value());
    settings.max_new = max_new_->value();
    settings.greedy = greedy_->isChecked();
    settings.in_turns = in_turns_->isChecked();
    settings.shade = shade_->isChecked();
    return settings;
}

void TryPanel::set_settings(const TrySettings& settings) {
    prompt_->setPlainText(QString::fromStdString(settings.prompt));
    temperature_->setValue(settings.sampling.temperature);
    top_k_->setValue(static_cast<int>(settings.sampling.top_k));
    top_p_->setValue(settings.sampling.top_p);
    seed_->setValue(static_cast<int>(settings.sampling.seed));
    max_new_->setValue(static_cast<int>(settings.max_new));
    greedy_->setChecked(settings.greedy);
    in_turns_->setChecked(settings.in_turns);
    shade_->setChecked(settings.shade);
}

void TryPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    for (AnswerBox* box : boxes_) box->set_look(theme, shade_->isChecked());
}

bool TryPanel::is_busy() const {
    return std::any_of(boxes_.begin(), boxes_.end(),
                       [](const AnswerBox* box) { return box->answer().is_busy(); });
}

void TryPanel::generate_or_stop() {
    if (is_busy()) return emit stop_asked();
    if (selection_waits_) take_selection();
    if (button_->isEnabled()) start();
}

void TryPanel::start() {
    const TrySettings asked = settings();
    for (AnswerBox* box : boxes_)
        box->begin(asked.prompt, AnswerPhase::kWaiting, boxes_.size() > 1 && !asked.in_turns);
    refresh();
    emit generate_asked();
}

void TryPanel::take(size_t index, const GenerationEvent& event) {
    take_event(boxes_.at(index)->answer(), event);
    if (!refresh_.isActive()) refresh_.start();
}

void TryPanel::take_worker_end(size_t index, const WorkerEnd& end, bool asked) {
    take_end(boxes_.at(index)->answer(), end, asked);
    refresh();
}

void TryPanel::set_loading(size_t index) {
    Answer& answer = boxes_.at(index)->answer();
    if (answer.phase == AnswerPhase::kWaiting) answer.phase = AnswerPhase::kLoading;
    refresh();
}

void TryPanel::refresh() {
    for (AnswerBox* box : boxes_) box->refresh(box == boxes_.front() ? nullptr : boxes_.front());
    update_controls();
}

void TryPanel::update_controls() {
    const bool busy = is_busy();
    empty_->setVisible(checkpoints_.empty());
    columns_->setVisible(!checkpoints_.empty());
    button_->setText(busy ? tr("Stop") : tr("Generate"));
    button_->setToolTip(busy ? tr("End all workers; what was said stays (Ctrl+Return)")
                             : tr("Let the models continue the prompt (Ctrl+Return)"));
    button_->setEnabled(busy || (!boxes_.empty() && !boxes_.front()->checkpoint().empty() &&
                                 !prompt_->document()->isEmpty()));
    for (QWidget* sampling : std::initializer_list<QWidget*>{temperature_, top_k_, top_p_, seed_})
        sampling->setEnabled(!greedy_->isChecked());
    add_->setEnabled(!busy && !checkpoints_.empty() && boxes_.size() < kMostAnswers);
    for (AnswerBox* box : boxes_) {
        box->choice()->setEnabled(!busy);
        box->set_removable(boxes_.size() > 1);
        box->remove_button()->setEnabled(!busy);
    }
}

}  // namespace headroom
