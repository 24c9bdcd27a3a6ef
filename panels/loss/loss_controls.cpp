#include "panels/loss/loss_controls.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/log/named_series.h"
#include "panels/loss/range_fields.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"

namespace headroom {
namespace {

constexpr int kSliderSteps = 99;          // 0 to 0.99, as in TensorBoard
constexpr double kMostSmoothing = 0.999;  // free entry
constexpr std::array kBands = {SeedBand::kT95, SeedBand::kStdDev, SeedBand::kStdErr,
                               SeedBand::kMinMax};

}  // namespace

LossControls::LossControls(QWidget* parent) : QWidget(parent) {
    auto* layout = new FlowLayout(this, 6);
    layout->setContentsMargins(8, 4, 8, 4);
    build();
    show_settings();
}

void LossControls::build() {
    metric_ = add_choice("Show", "metric", {"loss"},
                         "The loss, or any other number that the runs have logged");
    train_ = add_switch("Train", "showTrain", "Show the training loss");
    val_ = add_switch("Val", "showVal", "Show the validation loss");
    x_ = add_choice("x axis", "xAxis", {"Steps", "Tokens", "Seconds", "Time of day"},
                    "What runs along the x axis");
    add_smoothing();
    baseline_ =
        add_choice("Compare with", "baseline", {"nothing"},
                   "Show differences from this run or, where its variant has a run of the same "
                   "seed, from that one: equal seeds read equal batches. "
                   "A right click on a run in the legend does the same.");
    // Names of runs may be longer than the pane is wide: the list shows them whole.
    baseline_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    baseline_->setMinimumContentsLength(16);
    unit_ = add_choice("in", "unit", {"nats", "per cent"}, "Unit of the differences");
    seeds_ = add_choice("Seeds", "seeds",
                        {"one line each", "mean, 95 % interval", "mean, std deviation",
                         "mean, std error", "mean, min to max"},
                        "Show the mean of runs that differ in their seed alone, with a band");
    log_x_ = add_switch("Log x", "logX", "Logarithmic x axis");
    log_y_ = add_switch("Log y", "logY", "Logarithmic y axis");
    outliers_ = add_switch("Ignore outliers", "ignoreOutliers",
                           "Fit the y axis to the 5 % to 95 % quantiles; the points are kept");
    legend_ =
        add_switch("Legend", "legend", "Names in the chart; the run list at the left has them too");
    ranges_ = new RangeFields(this);
    layout()->addWidget(ranges_);
    auto* fit = new QToolButton(this);
    fit->setText("Fit");
    fit->setObjectName("fit");
    fit->setToolTip("Show everything (double click in the chart)");
    layout()->addWidget(fit);
    connect(fit, &QToolButton::clicked, ranges_, &RangeFields::clear);
    connect(fit, &QToolButton::clicked, this, &LossControls::fit_asked);
}

QComboBox* LossControls::add_choice(const QString& label, const QString& name,
                                    const QStringList& choices, const QString& help) {
    auto* box = new QComboBox(this);
    box->setObjectName(name);
    box->addItems(choices);
    box->setToolTip(help);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    layout()->addWidget(with_label(label, box, this));
    connect(box, &QComboBox::currentIndexChanged, this, &LossControls::take_settings);
    return box;
}

QCheckBox* LossControls::add_switch(const QString& text, const QString& name, const QString& help) {
    auto* box = new QCheckBox(text, this);
    box->setObjectName(name);
    box->setToolTip(help);
    layout()->addWidget(box);
    connect(box, &QCheckBox::toggled, this, &LossControls::take_settings);
    return box;
}

void LossControls::add_smoothing() {
    smoothing_ = new QSlider(Qt::Horizontal, this);
    smoothing_->setObjectName("smoothing");
    smoothing_->setRange(0, kSliderSteps);
    smoothing_->setMinimumWidth(50);
    smoothing_->setMaximumWidth(110);
    smoothing_value_ = new QDoubleSpinBox(this);
    smoothing_value_->setObjectName("smoothingValue");
    smoothing_value_->setRange(0, kMostSmoothing);
    smoothing_value_->setDecimals(3);
    smoothing_value_->setSingleStep(0.05);
    const QString help =
        "Exponential moving average of the training loss, exactly as in TensorBoard";
    smoothing_->setToolTip(help);
    smoothing_value_->setToolTip(help);
    smoothing_value_->setAccessibleName("Smoothing");
    QWidget* group = with_label("Smoothing", smoothing_, this);
    group->layout()->addWidget(smoothing_value_);
    layout()->addWidget(group);
    connect(smoothing_, &QSlider::valueChanged, this,
            [this](int step) { smoothing_value_->setValue(step / 100.0); });
    connect(smoothing_value_, &QDoubleSpinBox::valueChanged, this, [this](double weight) {
        const QSignalBlocker blocker(smoothing_);
        smoothing_->setValue(static_cast<int>(std::lround(weight * 100)));
        take_settings();
    });
}

void LossControls::leave_out_series() {
    all_series_ = true;
    ranges_->hide();
    show_settings();
}

void LossControls::set_settings(const LossSettings& settings) {
    settings_ = settings;
    show_settings();
}

void LossControls::set_runs(const std::vector<RunPointer>& runs) {
    std::vector<std::pair<std::string, std::string>> baselines;
    std::set<std::string> logged;
    for (const RunPointer& run : runs) {
        baselines.emplace_back(run->id, run->name);
        for (const SeriesName& each : list_series(*run->series)) logged.insert(each.name);
    }
    if (baselines == baselines_ && logged == logged_) return;
    baselines_ = std::move(baselines);
    logged_ = std::move(logged);
    filling_ = true;
    baseline_->clear();
    baseline_->addItem("nothing", QString());
    for (const auto& [id, name] : baselines_)
        baseline_->addItem(QString::fromStdString(name), QString::fromStdString(id));
    constexpr int kBeside = 24;  // margins and a scroll bar
    baseline_->view()->setMinimumWidth(baseline_->view()->sizeHintForColumn(0) + kBeside);
    fill_metrics();
    filling_ = false;
    show_settings();
}

/// What only losses have: two kinds, and nats.
void LossControls::show_kind() {
    const bool is_loss = settings_.metric.empty();
    for (QCheckBox* kind : {train_, val_}) kind->setVisible(is_loss);
    unit_->setItemText(0, is_loss ? "nats" : "its unit");
}

/// What any of the runs has logged, and what is shown though none has.
void LossControls::fill_metrics() {
    std::set<std::string> names = logged_;
    if (!settings_.metric.empty()) names.insert(settings_.metric);
    for (const char* loss : {"train/loss", "val/loss"}) names.erase(loss);
    metric_->clear();
    metric_->addItem("loss", QString());
    for (const std::string& name : names) {
        const QString text = QString::fromStdString(name);
        metric_->addItem(text, text);
    }
}

void LossControls::show_settings() {
    filling_ = true;
    const QString metric = QString::fromStdString(settings_.metric);
    if (!metric.isEmpty() && metric_->findData(metric) < 0) metric_->addItem(metric, metric);
    metric_->setCurrentIndex(std::max(0, metric_->findData(metric)));
    metric_->parentWidget()->setVisible(!all_series_);
    show_kind();
    train_->setChecked(settings_.train);
    val_->setChecked(settings_.val);
    x_->setCurrentIndex(static_cast<int>(settings_.x));
    smoothing_value_->setValue(settings_.smoothing);
    const int baseline = baseline_->findData(QString::fromStdString(settings_.baseline));
    baseline_->setCurrentIndex(std::max(0, baseline));
    unit_->setCurrentIndex(static_cast<int>(settings_.unit));
    unit_->parentWidget()->setVisible(!settings_.baseline.empty());
    const auto band = std::find(kBands.begin(), kBands.end(), settings_.band) - kBands.begin();
    seeds_->setCurrentIndex(settings_.group_seeds ? static_cast<int>(band) + 1 : 0);
    log_x_->setChecked(settings_.log_x);
    log_y_->setChecked(settings_.log_y);
    log_y_->setEnabled(settings_.baseline.empty());
    outliers_->setChecked(settings_.ignore_outliers);
    legend_->setChecked(settings_.legend);
    filling_ = false;
}

void LossControls::take_settings() {
    if (filling_) return;
    settings_.metric = metric_->currentData().toString().toStdString();
    show_kind();
    settings_.train = train_->isChecked();
    settings_.val = val_->isChecked();
    settings_.x = static_cast<LossX>(x_->currentIndex());
    settings_.smoothing = smoothing_value_->value();
    settings_.baseline = baseline_->currentData().toString().toStdString();
    settings_.unit = static_cast<RelativeUnit>(unit_->currentIndex());
    settings_.group_seeds = seeds_->currentIndex() > 0;
    if (settings_.group_seeds)
        settings_.band = kBands[static_cast<size_t>(seeds_->currentIndex()) - 1];
    settings_.log_x = log_x_->isChecked();
    settings_.log_y = log_y_->isChecked();
    settings_.ignore_outliers = outliers_->isChecked();
    settings_.legend = legend_->isChecked();
    unit_->parentWidget()->setVisible(!settings_.baseline.empty());
    log_y_->setEnabled(settings_.baseline.empty());
    emit changed(settings_);
}

}  // namespace headroom
