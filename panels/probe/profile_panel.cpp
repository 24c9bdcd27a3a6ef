#include "panels/probe/profile_panel.h"

#include <QComboBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/probe/probe_status_bar.h"
#include "panels/qt/flow_layout.h"

namespace headroom {

ProfilePanel::ProfilePanel(QWidget* parent)
    : QWidget(parent),
      what_(new QComboBox),
      tensor_(new QComboBox),
      heads_(new QComboBox),
      export_(new QToolButton),
      strip_(new ProbeStatusBar),
      chart_(new FigureChart) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    controls_ = make_controls();
    column->addWidget(controls_);
    column->addWidget(strip_);
    column->addWidget(chart_, 1);
    fill_choices();
    connect(what_, &QComboBox::currentIndexChanged, this, [this] {
        fill_choices();
        ask();
    });
    for (QComboBox* box : {tensor_, heads_})
        connect(box, &QComboBox::currentIndexChanged, this, &ProfilePanel::ask);
    connect(export_, &QToolButton::clicked, this, &ProfilePanel::export_asked);
    connect(chart_, &FigureChart::fit_asked, this, [this] { chart_->show_figure(figure_, dark_); });
    connect(strip_, &ProbeStatusBar::probe_asked, this, [this] {
        emit probe_asked(std::string(find_quantity(settings().what).kind), ids_to_probe(found_));
    });
    task_ = std::make_unique<LatestTask<Request, Answer>>(read, [this](Answer answer) {
        QMetaObject::invokeMethod(
            this, [this, answer = std::move(answer)] { take(answer); }, Qt::QueuedConnection);
    });
    ask();
}

ProfilePanel::~ProfilePanel() {
    task_.reset();  // before what it delivers to
}

QWidget* ProfilePanel::make_controls() {
    what_->setObjectName("profileWhat");
    for (const ProfileQuantity& quantity : profile_quantities())
        what_->addItem(
            QString::fromUtf8(quantity.label.data(), static_cast<qsizetype>(quantity.label.size())),
            QString::fromStdString(std::string(quantity.name)));
    what_->setToolTip(tr("What is drawn against depth"));
    tensor_->setObjectName("profileTensor");
    tensor_->setToolTip(tr("Of which activations or weights"));
    heads_->setObjectName("profileHeads");
    heads_->addItem(tr("mean of heads"), static_cast<int>(HeadSummary::kMean));
    heads_->addItem(tr("highest head"), static_cast<int>(HeadSummary::kMax));
    heads_->addItem(tr("lowest head"), static_cast<int>(HeadSummary::kMin));
    export_->setObjectName("exportProfile");
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the plot to PDF, SVG, PNG or CSV"));
    auto* controls = new QWidget;
    auto* flow = new FlowLayout(controls, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget : std::initializer_list<QWidget*>{what_, tensor_, heads_, export_})
        flow->addWidget(widget);
    return controls;
}

void ProfilePanel::set_runs(const std::vector<ProbeableRun>& runs) {
    if (runs == runs_) return;
    runs_ = runs;
    ask();
}

void ProfilePanel::set_work(int busy, const std::string& problem) {
    busy_ = busy;
    problem_ = problem;
    show_state();
}

void ProfilePanel::refresh() {
    ask();
}

void ProfilePanel::set_theme(const Theme& theme) {
    dark_ = theme.dark;
    chart_->show_figure(figure_, dark_);
}

ProfileSettings ProfilePanel::settings() const {
    ProfileSettings settings;
    settings.what = what_->currentData().toString().toStdString();
    settings.tensor = tensor_->currentText().toStdString();
    settings.heads = static_cast<HeadSummary>(heads_->currentData().toInt());
    return settings;
}

bool ProfilePanel::has_picture() const {
    return !figure_.is_empty();
}

FigurePage ProfilePanel::page() const {
    return make_page(figure_, false);
}

void ProfilePanel::fill_choices() {
    const ProfileQuantity& quantity = find_quantity(what_->currentData().toString().toStdString());
    const QSignalBlocker quiet(tensor_);
    tensor_->clear();
    for (const std::string& tensor : quantity.tensors)
        tensor_->addItem(QString::fromStdString(tensor));
    tensor_->setVisible(!quantity.tensors.empty());
    heads_->setVisible(quantity.is_per_head());
}

void ProfilePanel::ask() {
    if (task_) task_->request({runs_, settings()});
}

ProfilePanel::Answer ProfilePanel::read(const Request& request) {
    Answer answer;
    FoundProbes found = find_newest_probes(request.runs, find_quantity(request.settings.what).kind);
    answer.found = found;
    try {
        answer.figure = build_profile(found.sources, request.settings).figure;
    } catch (const std::exception& error) {
        answer.figure = {};
        answer.figure.empty_text = error.what();
    }
    return answer;
}

void ProfilePanel::take(const Answer& answer) {
    found_ = answer.found;
    figure_ = answer.figure;
    export_->setEnabled(!figure_.is_empty());
    chart_->clear_history();
    chart_->show_figure(figure_, dark_);
    show_state();
    emit shown();
}

void ProfilePanel::show_state() {
    strip_->show_state(std::string(find_quantity(settings().what).kind), found_, busy_, problem_);
}

}  // namespace headroom
