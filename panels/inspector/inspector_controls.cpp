#include "panels/inspector/inspector_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "panels/base/numbering.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"

namespace headroom {
InspectorControls::InspectorControls(QWidget* parent) : QWidget(parent) {
    auto* layout = new FlowLayout(this, 6);
    layout->setContentsMargins(8, 4, 8, 4);
    build();
    show_settings();
}

void InspectorControls::build() {
    text_ = new QLineEdit(this);
    text_->setObjectName("inspectorText");
    text_->setPlaceholderText("A text of yours, then Enter");
    text_->setToolTip(
        "Each run's checkpoint reads this text; empty: the run's own validation data");
    text_->setClearButtonEnabled(true);
    text_->setMinimumWidth(196);
    layout()->addWidget(with_label("Text", text_, this));
    connect(text_, &QLineEdit::returnPressed, this, [this] { emit text_entered(text_->text()); });
    step_ = add_choice("Step", "inspectorStep", {}, "Which checkpoint (PgUp, PgDn)");
    step_->disconnect(this);
    connect(step_, &QComboBox::activated, this,
            [this] { emit step_chosen(step_->currentData().toLongLong()); });
    layer_ = add_number("Layer", "inspectorLayer", "Up and down in the picture");
    head_ = add_number("Head", "inspectorHead", "Left and right in the picture");
    build_picture();
    compare_ = add_choice("Compare", "inspectorCompare",
                          {"one run", "side by side", "split A | B", "difference"},
                          "How the selected runs stand beside each other; a right click on a map "
                          "makes its run A");
    signal_ = add_choice("Show", "inspectorSignal", {"weights", "logits"},
                         "Weights after the softmax, or scaled scores before it");
    value_ = add_choice("Pixels show", "inspectorCells", {"mean", "largest"},
                        "What a pixel shows that covers several entries");
    colors_ = add_choice("Colours", "inspectorColours", {}, "For values of one sign, or of both");
    colors_->disconnect(this);
    connect(colors_, &QComboBox::activated, this, &InspectorControls::take_colors);
    range_ = add_choice("Range", "inspectorRange",
                        {"full", "percentile", "mean \u00b1 k \u03c3", "fixed"},
                        "Which values get the ends of the colours; all maps shown share it");
    lower_ = add_limit("inspectorLower", "Least value, per cent, or k");
    upper_ = add_limit("inspectorUpper", "Greatest value");
    scale_ = add_choice("Scale", "inspectorScale", {"linear", "log", "symlog"},
                        "How values become colours between the ends");
    margin_ = add_choice("Margins", "inspectorMargin", {"sum", "mean", "largest", "none"},
                         "Bars beside the map: what each row and each column comes to");
    atlas_ = add_switch("All heads", "inspectorAtlas", "Show the thumbnails of all heads");
    add_button("Fit", "inspectorFit", "Show the whole map (double click, Home)",
               &InspectorControls::fit_asked);
    add_button("Export\u2026", "inspectorExport", "Write the map to PDF, SVG, PNG or CSV",
               &InspectorControls::export_asked);
}

/// What only maps of images have.
void InspectorControls::build_picture() {
    look_ = add_choice("View", "inspectorView", {"over the picture", "all positions"},
                       "What one position attends to, where the patches lie in the picture, or "
                       "the whole map of positions by positions");
    query_ = add_choice("Query", "inspectorQuery", {},
                        "Whose attention lies over the picture: the class token's, the mean of "
                        "all, or a patch's (a click on it)");
    query_->disconnect(this);
    connect(query_, &QComboBox::activated, this,
            [this](int at) { emit query_chosen(queries_[static_cast<size_t>(at)]); });
    heat_ = new QSpinBox(this);
    heat_->setObjectName("inspectorHeat");
    heat_->setToolTip(
        "How much of the picture the colours cover: at 0 % there is the picture alone, above it "
        "lies in greys, at 100 % there are exactly the colours of the bar");
    heat_->setRange(0, 100);
    heat_->setSingleStep(10);
    heat_->setSuffix(" %");
    layout()->addWidget(with_label("Heat", heat_, this));
    connect(heat_, &QSpinBox::valueChanged, this, &InspectorControls::take_settings);
}

QComboBox* InspectorControls::add_choice(const QString& label, const QString& name,
                                         const QStringList& choices, const QString& help) {
    auto* box = new QComboBox(this);
    box->setObjectName(name);
    box->addItems(choices);
    box->setToolTip(help);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    layout()->addWidget(with_label(label, box, this));
    connect(box, &QComboBox::currentIndexChanged, this, &InspectorControls::take_settings);
    return box;
}

QSpinBox* InspectorControls::add_number(const QString& label, const QString& name,
                                        const QString& help) {
    auto* box = new QSpinBox(this);
    box->setObjectName(name);
    box->setToolTip(help);
    box->setRange(0, 0);
    layout()->addWidget(with_label(label, box, this));
    connect(box, &QSpinBox::valueChanged, this, [this] {
        if (!filling_)
            emit head_chosen(
                {layer_->value() - numbering_base(), head_->value() - numbering_base()});
    });
    return box;
}

QDoubleSpinBox* InspectorControls::add_limit(const QString& name, const QString& help) {
    auto* box = new QDoubleSpinBox(this);
    box->setObjectName(name);
    box->setToolTip(help);
    box->setAccessibleName(help);
    box->setRange(-1e6, 1e6);
    box->setDecimals(3);
    box->setFixedWidth(96);
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    box->setKeyboardTracking(false);
    layout()->addWidget(box);
    connect(box, &QDoubleSpinBox::valueChanged, this, &InspectorControls::take_settings);
    return box;
}

QCheckBox* InspectorControls::add_switch(const QString& text, const QString& name,
                                         const QString& help) {
    auto* box = new QCheckBox(text, this);
    box->setObjectName(name);
    box->setToolTip(help);
    layout()->addWidget(box);
    connect(box, &QCheckBox::toggled, this, &InspectorControls::take_settings);
    return box;
}

void InspectorControls::add_button(const QString& text, const QString& name, const QString& help,
                                   void (InspectorControls::*asked)()) {
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setObjectName(name);
    button->setToolTip(help);
    layout()->addWidget(button);
    connect(button, &QToolButton::clicked, this, asked);
}

void InspectorControls::set_settings(const InspectorSettings& settings) {
    settings_ = settings;
    show_settings();
}

void InspectorControls::set_view(const InspectorView& view) {
    filling_ = true;
    const MapInfo* info = view.info();
    const int base = numbering_base();
    const HeadGrid grid = head_grid(shown_panes(view, settings_.compare));
    layer_->setRange(base, base + std::max(0, grid.n_layer - 1));
    head_->setRange(base, base + std::max(0, grid.n_head - 1));
    fill_queries(info);
    show_choices(view);
    filling_ = false;
    both_signs_ = effective_mode(view, settings_.compare) == CompareMode::kDifference ||
                  (info && info->has_logits && settings_.signal == MapSignal::kLogits);
    show_settings();
}

/// What there is nothing to choose of is not there.
void InspectorControls::show_choices(const InspectorView& view) {
    const MapInfo* info = view.info();
    const auto show = [](QWidget* control, bool on) { control->parentWidget()->setVisible(on); };
    const bool image = info && info->of_image(), pictures = shows_pictures(view, settings_);
    show(signal_, info && info->has_logits);
    show(compare_, view.panes.size() > 1);
    show(text_, !image || !text_->text().isEmpty());  // no model of images reads a text
    show(look_, image);
    show(query_, pictures);
    show(heat_, pictures && info->picture.picture);
    show(value_, !pictures);
    show(margin_, !pictures);
}

void InspectorControls::fill_queries(const MapInfo* info) {
    std::vector<PictureQuery> queries = info ? all_queries(*info) : std::vector<PictureQuery>{};
    if (queries == queries_) return;
    queries_ = std::move(queries);
    query_->clear();
    for (const PictureQuery& query : queries_)
        query_->addItem(query.kind == PictureQuery::Kind::kMean
                            ? "mean of all"
                            : QString::fromStdString(query_text(query)));
}

void InspectorControls::set_query(const PictureQuery& query) {
    const auto at = std::find(queries_.begin(), queries_.end(), query);
    query_->setCurrentIndex(at == queries_.end() ? -1 : static_cast<int>(at - queries_.begin()));
}

void InspectorControls::set_head(HeadId head) {
    filling_ = true;
    // A head that was clicked stays while smaller models are looked at.
    layer_->setMaximum(std::max(layer_->maximum(), head.layer + numbering_base()));
    head_->setMaximum(std::max(head_->maximum(), head.head + numbering_base()));
    layer_->setValue(head.layer + numbering_base());
    head_->setValue(head.head + numbering_base());
    filling_ = false;
}

void InspectorControls::set_steps(const std::vector<int64_t>& steps, int64_t shown) {
    filling_ = true;
    step_->clear();
    for (const int64_t step : steps)
        step_->addItem(QString::number(step), QVariant::fromValue<qlonglong>(step));
    step_->setCurrentIndex(step_->findData(QVariant::fromValue<qlonglong>(shown)));
    step_->setEnabled(!steps.empty());
    filling_ = false;
}

void InspectorControls::set_text(const QString& text) {
    if (!text_->hasFocus()) text_->setText(text);
}

void InspectorControls::fill_colors() {
    colors_->clear();
    for (const ColorMap map : color_maps())
        if (is_diverging(map) == both_signs_)
            colors_->addItem(QString::fromUtf8(color_map_name(map)), static_cast<int>(map));
    const ColorMap chosen = both_signs_ ? settings_.diverging : settings_.sequential;
    colors_->setCurrentIndex(std::max(0, colors_->findData(static_cast<int>(chosen))));
}

void InspectorControls::show_settings() {
    filling_ = true;
    compare_->setCurrentIndex(static_cast<int>(settings_.compare));
    signal_->setCurrentIndex(static_cast<int>(settings_.signal));
    value_->setCurrentIndex(static_cast<int>(settings_.value));
    fill_colors();
    range_->setCurrentIndex(static_cast<int>(settings_.range));
    scale_->setCurrentIndex(static_cast<int>(settings_.scale));
    margin_->setCurrentIndex(settings_.show_margins ? static_cast<int>(settings_.margin) : 3);
    atlas_->setChecked(settings_.show_atlas);
    look_->setCurrentIndex(settings_.over_picture ? 0 : 1);
    heat_->setValue(static_cast<int>(std::lround(100 * settings_.heat)));
    show_limits();
    filling_ = false;
}

void InspectorControls::show_limits() {
    const RangeMode range = settings_.range;
    lower_->setVisible(range != RangeMode::kFull);
    upper_->setVisible(range == RangeMode::kFixed);
    lower_->setSuffix(range == RangeMode::kPercentile ? " %"
                      : range == RangeMode::kSigma    ? " \u03c3"
                                                      : "");
    lower_->setValue(range == RangeMode::kPercentile ? settings_.percentile
                     : range == RangeMode::kSigma    ? settings_.sigmas
                                                     : settings_.lower);
    upper_->setValue(settings_.upper);
}

void InspectorControls::take_colors() {
    const auto map = static_cast<ColorMap>(colors_->currentData().toInt());
    (both_signs_ ? settings_.diverging : settings_.sequential) = map;
    emit changed(settings_);
}

void InspectorControls::take_settings() {
    if (filling_) return;
    const RangeMode before = settings_.range;
    settings_.compare = static_cast<CompareMode>(compare_->currentIndex());
    settings_.signal = static_cast<MapSignal>(signal_->currentIndex());
    settings_.value = static_cast<CellValue>(value_->currentIndex());
    settings_.range = static_cast<RangeMode>(range_->currentIndex());
    settings_.scale = static_cast<ValueScale>(scale_->currentIndex());
    settings_.show_margins = margin_->currentIndex() < 3;
    if (settings_.show_margins) settings_.margin = static_cast<Margin>(margin_->currentIndex());
    settings_.show_atlas = atlas_->isChecked();
    settings_.over_picture = look_->currentIndex() == 0;
    settings_.heat = heat_->value() / 100.0;
    if (before == settings_.range) {
        const double value = lower_->value();
        if (before == RangeMode::kPercentile) settings_.percentile = std::clamp(value, 0.0, 49.0);
        if (before == RangeMode::kSigma) settings_.sigmas = std::clamp(value, 0.01, 100.0);
        if (before == RangeMode::kFixed) {
            settings_.lower = std::min(value, upper_->value());
            settings_.upper = std::max(value, upper_->value());
        }
    }
    show_settings();
    emit changed(settings_);
}

}  // namespace headroom
