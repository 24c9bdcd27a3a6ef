#include "panels/wiring_editor/wiring_editor_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>
#include <algorithm>

#include <fmt/format.h>

#include "panels/base/number_format.h"
#include "panels/base/numbering.h"
#include "panels/qt/labelled.h"

namespace headroom {

namespace {

QLabel* bold_label(const QString& text) {
    auto* label = new QLabel("<b>" + text + "</b>");
    label->setContentsMargins(0, 6, 0, 0);
    return label;
}

QLabel* paragraph(const char* name) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

std::string counts_table(const WiringCounts& counts) {
    std::string html = "<table cellspacing=0 cellpadding=2>";
    for (const WiringCount& row : counts.rows)
        html += fmt::format(
            "<tr><td colspan=2>{}</td></tr><tr><td>&nbsp;&nbsp;{}</td><td "
            "align=right>&nbsp;&nbsp;{}</td></tr>",
            row.name, row.value, row.difference);
    html += "</table>";
    return counts.note.empty() ? html : html + "<p>" + counts.note + "</p>";
}

/// Layers one after another that cost the same stand on one line.
std::string layers_table(const WiringCounts& counts) {
    std::string html = "<table cellspacing=0 cellpadding=2>";
    const auto& layers = counts.cache_by_layer;
    for (size_t first = 0; first < layers.size();) {
        size_t last = first;
        while (last + 1 < layers.size() && layers[last + 1] == layers[first]) ++last;
        const auto number = [](size_t layer) { return shown_number(static_cast<int64_t>(layer)); };
        const std::string who = first == last
                                    ? fmt::format("Layer {}", number(first))
                                    : fmt::format("Layers {} to {}", number(first), number(last));
        const CountPair& bytes = layers[first];
        html += fmt::format(
            "<tr><td>{}</td><td align=right>&nbsp;&nbsp;{} B</td><td align=right>&nbsp;&nbsp;{}"
            "</td></tr>",
            who, format_integer(bytes.model),
            bytes.difference() == 0
                ? "="
                : (bytes.difference() > 0 ? "+" : "") + format_integer(bytes.difference()));
        first = last + 1;
    }
    return html + "</table>";
}

/// The key skip_layer, which counts from 1 and is 0 for none, in the numbers that layers have here.
class SkipLayerBox : public QSpinBox {
  protected:
    QString textFromValue(int value) const override {
        return QString::number(shown_number(value - 1));
    }
    int valueFromText(const QString& text) const override {
        return text.toInt() + 1 - numbering_base();
    }
};

}  // namespace

WiringEditorControls::WiringEditorControls(QWidget* parent)
    : QWidget(parent),
      kv_heads_(new QComboBox),
      inject_(new QComboBox),
      baseline_(new QComboBox),
      show_keys_(new QCheckBox(tr("Keys"))),
      show_values_(new QCheckBox(tr("Values"))),
      learned_(new QCheckBox(tr("learned"))),
      latent_(new QCheckBox(tr("from a latent (MLA)"))),
      skip_layer_(new SkipLayerBox),
      cla_factor_(new QSpinBox),
      yoco_split_(new QSpinBox),
      skip_ratio_(new QDoubleSpinBox),
      res_lambda_(new QDoubleSpinBox),
      counts_(paragraph("wiringCounts")),
      memory_(paragraph("wiringMemory")),
      step_time_(paragraph("wiringStepTime")),
      control_(paragraph("wiringControl")),
      layers_(paragraph("wiringLayers")),
      sensitivity_(paragraph("wiringSensitivity")),
      measure_(new QPushButton(tr("Measure"))) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 4, 12, 8);
    make_counts();
    make_heads();
    make_brushes();
    column->addStretch(1);
}

void WiringEditorControls::make_counts() {
    auto* column = static_cast<QVBoxLayout*>(layout());
    baseline_->setObjectName("wiringBaseline");
    baseline_->addItems({tr("the start"), tr("every head its own")});
    baseline_->setToolTip(tr("What the differences are counted from"));
    column->addWidget(with_label(tr("Against"), baseline_, this));
    column->addWidget(counts_);
    column->addWidget(memory_);
    column->addWidget(step_time_);
    column->addWidget(bold_label(tr("Matched control")));
    column->addWidget(control_);
    column->addWidget(bold_label(tr("Cache per token by layer, bf16")));
    column->addWidget(layers_);
    column->addWidget(bold_label(tr("Without training")));
    column->addWidget(sensitivity_);
    measure_->setToolTip(tr("headroom probe rewire: the loss when each head reads each layer"));
    column->addWidget(measure_, 0, Qt::AlignLeft);
    connect(measure_, &QPushButton::clicked, this, &WiringEditorControls::measure_asked);
    connect(baseline_, &QComboBox::activated, this, &WiringEditorControls::changed);
}

void WiringEditorControls::make_heads() {
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(bold_label(tr("Heads")));
    kv_heads_->setObjectName("wiringKvHeads");
    kv_heads_->setToolTip(tr("Key and value heads of a layer; each serves a group of query heads"));
    column->addWidget(with_label(tr("Key/value heads"), kv_heads_, this));
    connect(kv_heads_, &QComboBox::activated, this,
            [this] { emit kv_heads_chosen(kv_heads_->currentData().toInt()); });
    latent_->setObjectName("wiringLatent");
    latent_->setToolTip(tr(
        "Keys and values are made of a compressed latent of the layer; SkipV1 then shares a part "
        "of it"));
    column->addWidget(latent_);
    connect(latent_, &QCheckBox::clicked, this, &WiringEditorControls::latent_chosen);
    auto* shown = new QHBoxLayout;
    shown->addWidget(new QLabel(tr("Show")));
    for (QCheckBox* box : {show_keys_, show_values_}) {
        box->setChecked(true);
        shown->addWidget(box);
        connect(box, &QCheckBox::clicked, this, [this, box] {
            if (!show_keys_->isChecked() && !show_values_->isChecked())
                (box == show_keys_ ? show_values_ : show_keys_)->setChecked(true);
            emit changed();
        });
    }
    shown->addStretch(1);
    column->addLayout(shown);
}

void WiringEditorControls::make_brushes() {
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->addWidget(bold_label(tr("What the brushes paint")));
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(8);
    skip_layer_->setRange(0, 1024);
    skip_layer_->setObjectName("skipLayer");
    skip_layer_->setSpecialValueText(tr("none"));
    skip_layer_->setToolTip(tr("SkipV1: the layer that is read, as they are numbered here"));
    form->addRow(tr("SkipV1: layer"), skip_layer_);
    skip_ratio_->setRange(0, 1);
    skip_ratio_->setSingleStep(0.125);
    skip_ratio_->setDecimals(3);
    skip_ratio_->setToolTip(tr("SkipV1: share of the heads that come from there"));
    form->addRow(tr("SkipV1: share"), skip_ratio_);
    inject_->addItems({"concat", "pool", "dynamic", "oddeven"});
    inject_->setToolTip(tr("SkipV1: which of its heads, for values"));
    form->addRow(tr("SkipV1: heads"), inject_);
    cla_factor_->setRange(1, 1024);
    cla_factor_->setToolTip(tr("Pairs: layers that share"));
    form->addRow(tr("Pairs: layers"), cla_factor_);
    yoco_split_->setRange(0, 1024);
    yoco_split_->setToolTip(tr("Upper half: layers below it; 0 = half"));
    yoco_split_->setSpecialValueText(tr("half"));
    form->addRow(tr("Upper half: from"), yoco_split_);
    res_lambda_->setRange(-100, 100);
    res_lambda_->setSingleStep(0.1);
    res_lambda_->setToolTip(tr("Mix: weight of the layer's own values"));
    form->addRow(tr("Mix: own weight"), res_lambda_);
    form->addRow("", learned_);
    column->addLayout(form);
    for (QSpinBox* box : {skip_layer_, cla_factor_, yoco_split_})
        connect(box, &QSpinBox::valueChanged, this, &WiringEditorControls::take_choice);
    for (QDoubleSpinBox* box : {skip_ratio_, res_lambda_})
        connect(box, &QDoubleSpinBox::valueChanged, this, &WiringEditorControls::take_choice);
    connect(inject_, &QComboBox::currentIndexChanged, this, &WiringEditorControls::take_choice);
    connect(learned_, &QCheckBox::toggled, this, &WiringEditorControls::take_choice);
    set_choice({});
}

void WiringEditorControls::take_choice() {
    if (filling_) return;
    choice_.skip_layer = skip_layer_->value();
    choice_.skip_ratio = skip_ratio_->value();
    choice_.inject = inject_->currentText().toStdString();
    choice_.cla_factor = cla_factor_->value();
    choice_.yoco_split = yoco_split_->value();
    choice_.res_lambda = res_lambda_->value();
    choice_.res_lambda_learned = learned_->isChecked();
    res_lambda_->setEnabled(!choice_.res_lambda_learned);
    emit changed();
}

void WiringEditorControls::set_choice(const WiringChoice& choice) {
    filling_ = true;
    choice_ = choice;
    skip_layer_->setValue(static_cast<int>(choice.skip_layer));
    skip_ratio_->setValue(choice.skip_ratio);
    inject_->setCurrentText(QString::fromStdString(choice.inject));
    cla_factor_->setValue(static_cast<int>(choice.cla_factor));
    yoco_split_->setValue(static_cast<int>(choice.yoco_split));
    res_lambda_->setValue(choice.res_lambda);
    learned_->setChecked(choice.res_lambda_learned);
    filling_ = false;
}

void WiringEditorControls::set_reference(const std::string& name) {
    while (baseline_->count() > 2) baseline_->removeItem(2);
    if (!name.empty())
        baseline_->addItem(tr("the reference, %1").arg(QString::fromStdString(name)));
    baseline_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    baseline_->setMinimumContentsLength(12);
}

WiringBaseline WiringEditorControls::baseline() const {
    return static_cast<WiringBaseline>(std::max(baseline_->currentIndex(), 0));
}

bool WiringEditorControls::show_keys() const {
    return show_keys_->isChecked();
}

bool WiringEditorControls::show_values() const {
    return show_values_->isChecked();
}

void WiringEditorControls::set_memory(const std::string& text) {
    show_text(memory_, text);
}

void WiringEditorControls::set_step_time(const std::string& text) {
    show_text(step_time_, text);
}

void WiringEditorControls::set_sensitivity(const std::string& note, bool can_measure) {
    show_text(sensitivity_, note);
    measure_->setVisible(can_measure);
}

void WiringEditorControls::show_drawing(const WiringEditor& editor) {
    kv_heads_->clear();
    for (int n = 1; n <= editor.wiring().n_head; ++n)
        if (editor.wiring().n_head % n == 0) kv_heads_->addItem(QString::number(n), n);
    kv_heads_->setCurrentIndex(kv_heads_->findData(editor.wiring().n_kv_head));
    latent_->setChecked(editor.job().model.mla.has_value());
}

void WiringEditorControls::set_counts(const WiringCounts& counts) {
    counts_->setText(QString::fromStdString(counts_table(counts)));
    layers_->setText(QString::fromStdString(layers_table(counts)));
}

void WiringEditorControls::set_control(const std::string& text) {
    show_text(control_, text);
}

}  // namespace headroom
