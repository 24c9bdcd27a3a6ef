#include "panels/wiring_editor/wiring_losses_panel.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include <fmt/format.h>

#include "panels/base/numbering.h"
#include "panels/figure/figure_chart.h"
#include "panels/probe/heatmap_widget.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"
#include "panels/wiring_editor/draw_wiring_editor.h"

namespace headroom {

namespace {

/// More columns than this are too narrow to be pressed: then layers are shown.
constexpr int kMostColumns = 200;

QComboBox* choice_of(const QStringList& names, const char* name, const QString& tip) {
    auto* box = new QComboBox;
    box->setObjectName(name);
    box->addItems(names);
    box->setToolTip(tip);
    return box;
}

std::string step_words(int64_t step) {
    return step < 0 ? "" : fmt::format(", step {}", step);
}

}  // namespace

WiringLossesPanel::WiringLossesPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      tables_(choice_of({tr("values"), tr("keys")}, "lossesTable",
                        tr("Which of a head's inputs is read elsewhere"))),
      readers_(choice_of({}, "lossesReaders", tr("Who reads: a column for each"))),
      ablations_(choice_of({tr("zero"), tr("its mean"), tr("another sequence's")}, "lossesAblation",
                           tr("What stands in place of a head's output"))),
      views_(choice_of({tr("map"), tr("against similarity")}, "lossesView",
                       tr("Layers × heads, or how much each head is missed against how alike "
                          "another head of its layer is"))),
      measure_(new QToolButton),
      stop_(new QPushButton(tr("Stop"))),
      share_(new QPushButton(tr("Share"))),
      progress_(new QProgressBar),
      count_(new QSpinBox),
      sources_(new HeatmapWidget),
      heads_(new HeatmapWidget),
      importance_(new FigureChart),
      head_pictures_(new QStackedWidget),
      note_(new QLabel) {
    note_->setObjectName("lossesNote");
    note_->setWordWrap(true);
    note_->setProperty("role", "muted");
    note_->setContentsMargins(8, 2, 8, 2);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(note_);
    column->addWidget(make_pictures(), 1);
    connect(sources_, &HeatmapWidget::clicked, this,
            [this](int, int64_t row, int64_t at) { take_click(row, at); });
    connect(tables_, &QComboBox::currentIndexChanged, this, &WiringLossesPanel::show_sources);
    connect(readers_, &QComboBox::activated, this, &WiringLossesPanel::show_sources);
    connect(ablations_, &QComboBox::currentIndexChanged, this, &WiringLossesPanel::show_heads);
    connect(views_, &QComboBox::currentIndexChanged, head_pictures_,
            &QStackedWidget::setCurrentIndex);
    connect(stop_, &QPushButton::clicked, this, &WiringLossesPanel::stop_asked);
    connect(share_, &QPushButton::clicked, this, [this] {
        if (fits_drawing() && findings_.sharing)
            emit edits_asked(sharing_edits(*findings_.sharing, static_cast<size_t>(count_->value()),
                                           editor_->wiring().n_kv_head));
    });
    set_findings({});
    set_work("", 0, "");
}

QWidget* WiringLossesPanel::make_strip() {
    measure_->setObjectName("lossesMeasure");
    measure_->setText(tr("Measure"));
    measure_->setPopupMode(QToolButton::InstantPopup);
    measure_->setToolTip(tr("In a worker, on the run's validation data"));
    auto* menu = new QMenu(measure_);
    const std::pair<const char*, QString> kinds[] = {
        {kRewireProbe, tr("what each &source costs (probe rewire)")},
        {kAblationProbe, tr("what each &head is worth (probe ablation)")},
        {kSharingProbe, tr("KVSharer's &order of layers (probe sharing)")}};
    for (const auto& [kind, title] : kinds) {
        QAction* action = menu->addAction(title);
        action->setObjectName(kind);
        connect(action, &QAction::triggered, this,
                [this, kind = QString(kind)] { emit measure_asked(kind); });
    }
    measure_->setMenu(menu);
    stop_->setObjectName("lossesStop");
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(90);
    count_->setObjectName("lossesShare");
    count_->setPrefix(tr("the first "));
    count_->setToolTip(
        tr("KVSharer: layers whose caches differ most share keys and values first; without "
           "training"));
    share_->setObjectName("lossesShareButton");
    readers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    auto* strip = new QWidget;
    auto* row = new FlowLayout(strip, 6);
    row->setContentsMargins(8, 4, 8, 0);
    row->addWidget(measure_);
    row->addWidget(progress_);
    row->addWidget(stop_);
    row->addWidget(with_label(tr("Sources of"), tables_, strip));
    row->addWidget(with_label(tr("read by"), readers_, strip));
    row->addWidget(with_label(tr("Heads replaced by"), ablations_, strip));
    row->addWidget(views_);
    row->addWidget(with_label(tr("KVSharer"), count_, strip));
    row->addWidget(share_);
    return strip;
}

QWidget* WiringLossesPanel::make_pictures() {
    sources_->setObjectName("lossesSources");
    heads_->setObjectName("lossesHeads");
    sources_->setCursor(Qt::PointingHandCursor);
    head_pictures_->addWidget(heads_);
    head_pictures_->addWidget(importance_);
    auto* split = new QSplitter(Qt::Horizontal);
    split->addWidget(sources_);
    split->addWidget(head_pictures_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    return split;
}

QAction* WiringLossesPanel::measure(const std::string& kind) const {
    return measure_->menu()->findChild<QAction*>(QString::fromStdString(kind));
}

void WiringLossesPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    relabel();
}

void WiringLossesPanel::relabel() {
    fill_readers();
    show_sources();
    show_heads();
    show_note();
}

void WiringLossesPanel::set_findings(const WiringFindings& findings) {
    const bool other_sources = findings.rewire != findings_.rewire;
    const bool other_heads = findings.ablation != findings_.ablation;
    findings_ = findings;
    if (other_sources || !findings_.rewire) {
        fill_readers();
        show_sources();
    }
    if (other_heads || !findings_.ablation) show_heads();
    const int steps = findings_.sharing ? static_cast<int>(findings_.sharing->steps.size()) : 0;
    count_->setRange(std::min(steps, 1), steps);
    count_->setSuffix(tr(" of %1").arg(steps));
    for (QWidget* widget :
         {static_cast<QWidget*>(count_->parentWidget()), static_cast<QWidget*>(share_)})
        widget->setVisible(steps > 0);
    measure_->setEnabled(!findings_.run.empty());
    show_note();
}

void WiringLossesPanel::set_drawing(const WiringEditor& editor) {
    editor_ = &editor;
    share_->setEnabled(fits_drawing());
    show_marks();
}

void WiringLossesPanel::set_work(const std::string& kind, double share,
                                 const std::string& problem) {
    working_ = kind;
    problem_ = problem;
    progress_->setValue(static_cast<int>(share * 1000));
    progress_->setVisible(!kind.empty());
    stop_->setVisible(!kind.empty());
    show_note();
}

void WiringLossesPanel::say(const std::string& refusal) {
    refusal_ = refusal;
    show_note();
}

bool WiringLossesPanel::fits_drawing() const {
    return editor_ && !editor_->empty() &&
           (!findings_.rewire || fits(*findings_.rewire, *editor_)) &&
           (!findings_.sharing || findings_.sharing->n_layer == editor_->wiring().n_layer);
}

void WiringLossesPanel::fill_readers() {
    const QVariant chosen = readers_->currentData();
    readers_->clear();
    if (!findings_.rewire) return;
    readers_->addItem(tr("every head"), RewireReaders::kHeads);
    readers_->addItem(tr("layers"), RewireReaders::kLayers);
    for (int layer = 0; layer < findings_.rewire->n_layer; ++layer)
        readers_->addItem(tr("heads of layer %1").arg(shown_number(layer)), layer);
    const bool many = findings_.rewire->n_layer * findings_.rewire->n_kv_head > kMostColumns;
    const int index = chosen.isValid() ? readers_->findData(chosen) : -1;
    readers_->setCurrentIndex(index >= 0 ? index : many ? 1 : 0);
}

void WiringLossesPanel::show_sources() {
    picture_ = {};
    picture_.figure.empty_text = "What each source costs was not measured.";
    if (findings_.rewire)
        picture_ = rewire_figure(*findings_.rewire,
                                 tables_->currentIndex() == 0 ? KvTable::kValues : KvTable::kKeys,
                                 {readers_->currentData().toInt()});
    sources_->show_figure(picture_.figure, theme_.dark);
    show_marks();
}

void WiringLossesPanel::show_marks() {
    std::vector<HeatmapCell> cells;
    if (findings_.rewire && fits_drawing())
        for (const auto& [row, column] : cells_read(picture_, editor_->wiring()))
            cells.push_back({0, row, column});
    sources_->mark(std::move(cells));
}

void WiringLossesPanel::show_heads() {
    const auto ablation = static_cast<Ablation>(ablations_->currentIndex());
    HeatmapFigure map;
    map.empty_text = "What each head is worth was not measured.";
    Figure points;
    points.empty_text = map.empty_text;
    if (findings_.ablation) {
        map = ablation_figure(*findings_.ablation, ablation);
        points = importance_figure(*findings_.ablation, ablation);
    }
    heads_->show_figure(map, theme_.dark);
    importance_->show_figure(points, theme_.dark);
}

void WiringLossesPanel::show_note() {
    if (findings_.run.empty())
        return show_text(note_, "Start from a trained run to see what it says without training.");
    std::string text = findings_.run;
    if (findings_.rewire)
        text += step_words(findings_.rewire->step) +
                ": a click in the left map lets that head read that layer; marked is what it "
                "reads as drawn.";
    else if (working_.empty())
        text += ": Measure asks a worker.";
    if (!working_.empty()) text += fmt::format(" Measuring {} …", working_);
    const std::string& problem = findings_.problem.empty() ? problem_ : findings_.problem;
    show_text(note_, !refusal_.empty() ? refusal_ : !problem.empty() ? problem : text);
}

void WiringLossesPanel::take_click(int64_t row, int64_t column) {
    if (!findings_.rewire || !fits_drawing() || picture_.readers.empty()) return;
    if (picture_.figure.panels.front().is_masked(row, column)) return;
    emit edits_asked({edit_of_cell(picture_, row, column)});
}

}  // namespace headroom
