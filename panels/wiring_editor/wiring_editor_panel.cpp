#include "panels/wiring_editor/wiring_editor_panel.h"

#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QGuiApplication>
#include <QInputDialog>
#include <QKeyEvent>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"
#include "panels/wiring/wiring_page.h"
#include "panels/wiring_editor/wiring_editor_controls.h"
#include "panels/wiring_editor/wiring_losses_panel.h"
#include "panels/wiring_editor/wiring_trial_strip.h"

namespace headroom {

WiringEditorPanel::WiringEditorPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      controls_(new WiringEditorControls),
      trial_(new WiringTrialStrip),
      losses_(new WiringLossesPanel),
      show_losses_(new QToolButton),
      starts_(new QComboBox),
      run_(new QPushButton(tr("Start a run…"))),
      counts_(
          [](const CountQuestion& question) {
              WiringCounts counts = count_wiring(*question.drawn, *question.compared());
              counts.line += "   against " + question.name;
              return counts;
          },
          [this](const WiringCounts& counts) {
              QMetaObject::invokeMethod(
                  this, [this, counts] { show_counts(counts); }, Qt::QueuedConnection);
          }),
      control_(
          [](const CountQuestion& question) {
              return question.name + ": " +
                     matched_control(*question.drawn, *question.compared(), MatchMeasure::kParams);
          },
          [this](const std::string& text) {
              QMetaObject::invokeMethod(
                  this, [this, text] { controls_->set_control(text); }, Qt::QueuedConnection);
          }) {
    host_ = new CanvasHost([this] { draw(); }, this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(trial_);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(host_);
    split->addWidget(losses_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    losses_->hide();
    connect(show_losses_, &QToolButton::toggled, this, [this, split](bool shown) {
        const int height = split->height();
        losses_->setVisible(shown);
        if (shown) split->setSizes({height * 11 / 20, height * 9 / 20});
        make_room();
    });
    column->addWidget(split, 1);
    connect(losses_, &WiringLossesPanel::measure_asked, this, [this] {
        editor_.forget_refusal();
        losses_->say("");
    });
    connect(losses_, &WiringLossesPanel::edits_asked, this,
            [this](const std::vector<WiringEdit>& edits) {
                if (!editor_.empty()) take(true, editor_.apply_all(edits));
            });
    if (canvas()) {
        canvas()->setObjectName("wiringEditorCanvas");
        canvas()->setAccessibleName(tr("Wiring that is drawn"));
        canvas()->installEventFilter(this);
    }
    connect(controls_, &WiringEditorControls::changed, this, [this] {
        settings_.choice = controls_->choice();
        settings_.show_keys = controls_->show_keys();
        settings_.show_values = controls_->show_values();
        refresh();
    });
    connect(controls_, &WiringEditorControls::measure_asked, this,
            &WiringEditorPanel::measure_asked);
    connect(controls_, &WiringEditorControls::kv_heads_chosen, this, [this](int n_kv_head) {
        if (!editor_.empty()) take(true, editor_.set_kv_heads(n_kv_head));
    });
    connect(controls_, &WiringEditorControls::latent_chosen, this, [this](bool latent) {
        if (editor_.empty()) return;
        take(true, editor_.set_latent(latent));
        controls_->show_drawing(editor_);  // as it was, where it cannot be
    });
}

QWidget* WiringEditorPanel::make_strip() {
    auto* strip = new QWidget;
    auto* row = new FlowLayout(strip, 6);
    row->setContentsMargins(8, 4, 8, 4);
    starts_->setObjectName("wiringStart");
    starts_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    starts_->setMinimumContentsLength(18);
    starts_->setToolTip(
        tr("A run's or a preset's wiring to draw on; undo brings the drawing back"));
    connect(starts_, &QComboBox::activated, this,
            [this] { emit start_chosen(starts_->currentData().toString()); });
    row->addWidget(with_label(tr("Start from"), starts_, strip));
    auto* json = new QToolButton;
    json->setObjectName("wiringJson");
    json->setText(tr("JSON"));
    json->setToolTip(tr("The table as job files have it under model.wiring"));
    json->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(json);
    menu->addAction(tr("&Copy"), this, &WiringEditorPanel::copy_text);
    menu->addAction(tr("&Paste"), this, &WiringEditorPanel::paste_text);
    menu->addAction(tr("&Open…"), this, [this] {
        const QString file = QFileDialog::getOpenFileName(this, tr("Open a wiring or a job"),
                                                          folder_, "JSON (*.json)");
        if (!file.isEmpty()) open_file(file);
    });
    menu->addAction(tr("&Save as…"), this, [this] {
        const QString file = QFileDialog::getSaveFileName(
            this, tr("Save the wiring"), folder_ + "/wiring.json", "JSON (*.json)");
        if (!file.isEmpty()) save_file(file);
    });
    menu->addAction(tr("Save in the s&tudy…"), this, [this] {
        const QString name = QInputDialog::getText(
            this, tr("Save in the study"), tr("Name of the wiring, as Start from shall show it:"));
        if (!name.isEmpty()) save_in_study(name);
    });
    json->setMenu(menu);
    row->addWidget(json);
    show_losses_->setObjectName("wiringLosses");
    show_losses_->setText(tr("Losses"));
    show_losses_->setCheckable(true);
    show_losses_->setToolTip(
        tr("What a trained run says without training: the cost of every source, the worth of "
           "every head, which layers share first"));
    row->addWidget(show_losses_);
    run_->setObjectName("wiringRun");
    run_->setToolTip(tr("Fills this wiring into a form of New runs (Ctrl+Return)"));
    run_->setEnabled(false);
    connect(run_, &QPushButton::clicked, this, &WiringEditorPanel::run_asked);
    row->addWidget(run_);
    return strip;
}

FigurePage WiringEditorPanel::page() const {
    // Not under the name of the model that it is no more.
    const std::string name = editor_.drawing().title + (editor_.is_changed() ? ", as redrawn" : "");
    return wiring_page(
        std::make_shared<WiringView>(build_wiring_view(editor_.job().model, DType::kBF16, name)),
        {.keys = settings_.show_keys, .values = settings_.show_values});
}

void WiringEditorPanel::draw() {
    if (shown_version_ != editor_.version() && !editor_.empty()) {
        shown_version_ = editor_.version();
        view_.picture =
            build_wiring_view(editor_.job().model, DType::kBF16, editor_.drawing().title);
        view_.ownership = build_ownership(view_.picture);
    }
    const WiringEditorCommands commands = draw_wiring_editor(editor_, view_, theme_, settings_);
    if (!commands.any()) return;
    const bool edits = commands.edit.has_value();
    const bool drawing_changed = perform(editor_, commands);
    // Whoever listens may change this widget, which must not happen while it is painted.
    QMetaObject::invokeMethod(
        this, [=, this] { take(edits, drawing_changed); }, Qt::QueuedConnection);
}

/// In a low window the losses stand in place of the canvas: neither could be used beside the other.
void WiringEditorPanel::make_room() {
    constexpr int kBothFit = 620;
    host_->setVisible(!show_losses_->isChecked() || height() >= kBothFit);
}

void WiringEditorPanel::resizeEvent(QResizeEvent*) {
    make_room();
}

void WiringEditorPanel::take(bool is_edit, bool drawing_changed) {
    host_->request_frames();
    losses_->say(editor_.refusal());
    if (!is_edit || !drawing_changed) return;
    refresh();
    emit edited();
    emit changed();
}

/// Keys that the canvas uses mean nothing else to the window while it has them.
bool WiringEditorPanel::eventFilter(QObject* watched, QEvent* event) {
    if (const auto* input = dynamic_cast<QInputEvent*>(event)) {
        settings_.shift = input->modifiers().testFlag(Qt::ShiftModifier);
        settings_.ctrl = input->modifiers().testFlag(Qt::ControlModifier);
    }
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool plain =
            !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
        const bool used = key->key() == Qt::Key_Space || key->key() == Qt::Key_Delete ||
                          (key->key() >= Qt::Key_A && key->key() <= Qt::Key_Z);
        const bool leaves = key->key() == Qt::Key_Escape && !editor_.empty() &&
                            (editor_.is_asking() || !editor_.marked().empty() ||
                             settings_.gesture.kind != WiringGesture::Kind::kNone);
        const bool all = key->key() == Qt::Key_A && key->modifiers() == Qt::ControlModifier;
        if ((plain && used) || leaves || all) event->accept();
    }
    return QWidget::eventFilter(watched, event);
}

void WiringEditorPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    host_->set_theme(theme);
    losses_->set_theme(theme);
}

void WiringEditorPanel::set_starts(const std::vector<std::pair<std::string, std::string>>& starts) {
    const QVariant chosen = starts_->currentData();
    starts_->clear();
    for (const auto& [id, name] : starts)
        starts_->addItem(QString::fromStdString(name), QString::fromStdString(id));
    starts_->setCurrentIndex(starts_->findData(chosen));
}

void WiringEditorPanel::show_start(const std::string& id) {
    starts_->setCurrentIndex(starts_->findData(QString::fromStdString(id)));
}

void WiringEditorPanel::begin(const std::string& title, const Job& job) {
    editor_.begin(title, job);
    show_started();
}

void WiringEditorPanel::start(const std::string& title, const Job& job) {
    editor_.start(title, job);
    show_started();
}

void WiringEditorPanel::take_up(const std::string& title, const Job& start,
                                const std::string& table) {
    editor_.begin(title, start);
    editor_.read_text(table, title);
    show_started();
}

void WiringEditorPanel::show_started() {
    const Job& job = editor_.job();
    controls_->set_choice(job.model.wiring_choice);
    settings_.choice = job.model.wiring_choice;
    run_->setEnabled(true);
    refresh();
    emit changed();
}

void WiringEditorPanel::set_reference(const std::string& name, std::shared_ptr<const Job> job) {
    if (reference_.second == job && reference_.first == name) return;
    reference_ = {name, std::move(job)};
    controls_->set_reference(reference_.second ? name : "");
    refresh();
}

void WiringEditorPanel::set_memory(const std::string& text) {
    controls_->set_memory(text);
}

void WiringEditorPanel::set_rewire(std::shared_ptr<const RewireMap> map, const std::string& note,
                                   bool can_measure) {
    view_.rewire = std::move(map);
    controls_->set_sensitivity(note, can_measure);
    host_->request_frames();
}

std::shared_ptr<const Job> WiringEditorPanel::CountQuestion::compared() const {
    return baseline ? baseline : std::make_shared<const Job>(unshared(*drawn));
}

WiringEditorPanel::CountQuestion WiringEditorPanel::count_question() const {
    const WiringDrawing& drawing = editor_.drawing();
    const WiringBaseline chosen = controls_->baseline();
    if (chosen == WiringBaseline::kReference && reference_.second)
        return {drawing.job, reference_.second, reference_.first};
    if (chosen == WiringBaseline::kUnshared)
        return {drawing.job, nullptr, tr("every head its own").toStdString()};
    return {drawing.job, drawing.start, drawing.title};
}

void WiringEditorPanel::refresh() {
    if (editor_.empty()) return;
    controls_->show_drawing(editor_);
    trial_->set_drawing(editor_.drawing());
    losses_->set_drawing(editor_);
    losses_->say(editor_.refusal());
    const CountQuestion question = count_question();
    counts_.request(question);
    control_.request(question);
    host_->request_frames();
}

void WiringEditorPanel::show_counts(const WiringCounts& counts) {
    view_.counts = counts.line;
    controls_->set_counts(counts);
    host_->request_frames();
}

void WiringEditorPanel::undo() {
    editor_.undo();
    refresh();
    emit changed();
}

void WiringEditorPanel::redo() {
    editor_.redo();
    refresh();
    emit changed();
}

void WiringEditorPanel::fit() {
    show_whole(settings_);
    host_->request_frames();
}

void WiringEditorPanel::copy_text() {
    if (editor_.empty()) return;
    QGuiApplication::clipboard()->setText(QString::fromStdString(editor_.text()));
    emit said(tr("The wiring's JSON is on the clipboard"));
}

void WiringEditorPanel::paste_text() {
    if (editor_.empty()) return;
    const std::string text = QGuiApplication::clipboard()->text().toStdString();
    take(true, editor_.read_text(text, "the clipboard"));
}

void WiringEditorPanel::open_file(const QString& path) {
    if (editor_.empty()) return;
    try {
        const std::string file = path.toStdString();
        constexpr uint64_t kMostBytes = uint64_t{64} << 20;
        take(true, editor_.read_text(read_text(file, kMostBytes), file));
    } catch (const std::exception& error) {
        emit said(error.what());
    }
}

void WiringEditorPanel::save_file(const QString& path) {
    if (editor_.empty()) return;
    try {
        write_file_atomically(path.toStdString(), editor_.text() + "\n");
        emit said(tr("Wiring written to %1").arg(path));
    } catch (const std::exception& error) {
        emit said(error.what());
    }
}

void WiringEditorPanel::save_in_study(const QString& name) {
    if (editor_.empty()) return;
    static const QRegularExpression plain("^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$");
    if (folder_.isEmpty()) return emit said(tr("No study is open: use Save as…"));
    if (!plain.match(name).hasMatch())
        return emit said(
            tr("\"%1\" is no name of a wiring: use letters, digits, dots, - and _").arg(name));
    try {
        const std::filesystem::path folder = folder_.toStdString() + "/wirings";
        std::filesystem::create_directories(folder);
        write_file_atomically(folder / (name.toStdString() + ".json"), editor_.text() + "\n");
        emit said(tr("Wiring %1 is kept in the study").arg(name));
        emit saved_in_study();
    } catch (const std::exception& error) {
        emit said(error.what());
    }
}

QPoint WiringEditorPanel::place_of(const WiringSpot& spot) const {
    if (!settings_.layout) return {-1, -1};
    const WiringFrame& frame = settings_.drawn;
    const WiringLayout& layout = *settings_.layout;
    const WiringBox lane = layout.lane_box(spot.lane);
    WiringPoint at{lane.x0 - 0.3f * layout.margin(), lane.y0 - 0.3f * layout.margin()};
    const WiringBox cell =
        layout.cell_box(spot.lane, {spot.layer.value_or(0), spot.head.value_or(0)});
    if (spot.layer) at.y = cell.centre().y;
    if (spot.head) at.x = cell.centre().x;
    return {static_cast<int>(frame.origin.x + at.x * frame.unit),
            static_cast<int>(frame.origin.y + at.y * frame.unit)};
}

}  // namespace headroom
