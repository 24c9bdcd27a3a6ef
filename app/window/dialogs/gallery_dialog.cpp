#include "app/window/dialogs/gallery_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QIcon>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/study/study_expand.h"
#include "app/window/services/worker_process.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/study/study_folder.h"
#include "panels/base/number_format.h"
#include "panels/base/worker_end.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {
namespace {

constexpr int kListWidth = 256;
constexpr QSize kOutcomeSize(460, 240);

QLabel* text_label(const char* name, const char* role = nullptr) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    if (role) label->setProperty("role", role);
    return label;
}

/// "In all 15 runs, 30.7 M tokens: about 28 min …", of what `headroom study predict --json` wrote.
QString cost_text(const QByteArray& output) {
    const nlohmann::json document = parse_json(output.toStdString(), "the prediction");
    const nlohmann::json& total = document.at("total");
    const double seconds = total.at("seconds").get<double>();
    return QString::fromStdString(fmt::format(
        "{} runs{}, {} tokens, {} FLOPs: {} one after the other on {}. At most {} of memory, {} of "
        "disk.",
        total.at("runs").get<int64_t>(), total.at("search").get<bool>() ? " and a search" : "",
        format_count(total.at("tokens").get<double>()),
        format_count(total.at("flops").get<double>()),
        seconds > 0 ? fmt::format("about {}, by steps just timed,", format_duration(seconds))
                    : "more than this machine's free memory lets one time,",
        document.at("device").get<std::string>(),
        format_bytes(total.at("memory_bytes").get<int64_t>()),
        format_bytes(total.at("disk_bytes").get<int64_t>())));
}

}  // namespace

GalleryDialog::GalleryDialog(const std::filesystem::path& templates, std::filesystem::path program,
                             const QString& parent_folder, QWidget* parent)
    : QDialog(parent),
      templates_(list_templates(templates)),
      program_(std::move(program)),
      parent_folder_(parent_folder),
      list_(new QListWidget),
      scale_(new QComboBox),
      problem_(text_label("galleryProblem", "error")) {
    setObjectName("gallery");
    setWindowTitle(tr("Studies of the papers"));
    list_->setObjectName("galleryList");
    list_->setAccessibleName(tr("The papers' figures and tables"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const StudyTemplate& each : templates_) {
        auto* item = new QListWidgetItem(
            QString::fromStdString(template_study(each, each.scales.front()).name), list_);
        item->setToolTip(QString::fromStdString(each.name));
    }
    auto* papers = text_label("galleryPapers", "muted");
    papers->setText(
        tr("000, 001: Karbevski and Mijoski, W_K, W_V is probably all you need, in two "
           "versions. 002: Graef, weight removal in skipless transformers. 004: Wu et "
           "al., SkipV1Former."));
    auto* left = new QWidget;
    left->setFixedWidth(kListWidth);
    auto* left_column = new QVBoxLayout(left);
    left_column->setContentsMargins(0, 0, 0, 0);
    left_column->addWidget(list_, 1);
    left_column->addWidget(papers);
    auto* row = new QHBoxLayout;
    row->addWidget(left);
    row->addWidget(make_details(), 1);
    auto* column = new QVBoxLayout(this);
    column->addLayout(row, 1);
    column->addWidget(problem_);
    column->addWidget(make_foot());
    problem_->hide();
    resize(860, 560);
    connect(list_, &QListWidget::currentRowChanged, this, &GalleryDialog::choose);
    connect(scale_, &QComboBox::activated, this, &GalleryDialog::show_template);
    list_->setCurrentRow(0);
    list_->setFocus();
}

GalleryDialog::~GalleryDialog() = default;

QWidget* GalleryDialog::make_details() {
    title_ = text_label("galleryTitle", "heading");
    question_ = text_label("galleryQuestion");
    outcome_ = new QLabel;
    outcome_->setObjectName("galleryOutcome");
    outcome_note_ = text_label("galleryOutcomeNote", "muted");
    cost_ = text_label("galleryCost");
    data_ = text_label("galleryData", "muted");
    scale_->setObjectName("galleryScale");
    scale_->setAccessibleName(tr("Scale"));
    WheelGuard::protect(scale_);
    scale_->setToolTip(
        tr("laptop: minutes to two hours on two cores; gpu: about a day on one; "
           "paper: the paper's own models and recipe"));
    auto* head = new QHBoxLayout;
    head->addWidget(title_, 1);
    head->addWidget(scale_);
    claims_ = new QWidget;
    claims_->setObjectName("galleryClaims");
    claim_rows_ = new QVBoxLayout(claims_);
    claim_rows_->setContentsMargins(0, 0, 0, 0);

    auto* inside = new QWidget;
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 4, 0, 0);
    column->setSpacing(10);
    column->addWidget(question_);
    column->addWidget(outcome_);
    column->addWidget(outcome_note_);
    column->addWidget(cost_);
    column->addWidget(data_);
    column->addWidget(claims_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setAccessibleName(tr("About the study"));
    scroll->setWidget(inside);
    auto* details = new QWidget;
    auto* all = new QVBoxLayout(details);
    all->setContentsMargins(0, 0, 0, 0);
    all->addLayout(head);
    all->addWidget(scroll, 1);
    return details;
}

QWidget* GalleryDialog::make_foot() {
    folder_ = new QLineEdit;
    folder_->setObjectName("galleryFolder");
    folder_->setAccessibleName(tr("Folder of the study"));
    auto* other = new QPushButton(tr("&Browse…"));
    other->setAutoDefault(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    make_ = buttons->addButton(tr("&Make the study"), QDialogButtonBox::ActionRole);
    make_->setObjectName("galleryMake");
    make_->setDefault(true);
    auto* label = new QLabel(tr("&Folder"));
    label->setBuddy(folder_);
    auto* foot = new QWidget;
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(label);
    row->addWidget(folder_, 1);
    row->addWidget(other);
    row->addWidget(buttons);
    connect(other, &QPushButton::clicked, this, &GalleryDialog::browse);
    connect(make_, &QPushButton::clicked, this, &GalleryDialog::make);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return foot;
}

const StudyTemplate& GalleryDialog::chosen() const {
    return templates_.at(static_cast<size_t>(std::max(list_->currentRow(), 0)));
}

std::string GalleryDialog::scale() const {
    return scale_->currentText().toStdString();
}

void GalleryDialog::choose() {
    if (templates_.empty()) return;
    const QString before = scale_->currentText();
    scale_->clear();
    for (const std::string& scale : chosen().scales) scale_->addItem(QString::fromStdString(scale));
    scale_->setCurrentIndex(std::max(scale_->findText(before), 0));
    show_template();
}

void GalleryDialog::show_template() {
    const Study study = template_study(chosen(), scale());
    problem_->hide();
    title_->setText(QString::fromStdString(study.name));
    question_->setText(QString::fromStdString(study.description));
    const bool reads_tokens = reads_own_tokens(study);
    data_->setText(reads_tokens ? tr("It reads data/train.bin and data/val.bin in its folder, "
                                     "which headroom data prepare makes of your text.")
                                : QString());
    data_->setVisible(reads_tokens);
    show_outcome();
    show_claims(study);
    std::string name = chosen().name + (scale() == kLaptopScale ? "" : "-" + scale());
    QDir folder(parent_folder_);
    QString free = QString::fromStdString(name);
    for (int n = 2; folder.exists(free); ++n)
        free = QString::fromStdString(fmt::format("{}-{}", name, n));
    folder_->setText(QDir::toNativeSeparators(folder.filePath(free)));
    predict();
}

void GalleryDialog::show_outcome() {
    const QString file = QString::fromStdString((chosen().folder / "outcome.svg").string());
    const bool kept = scale() == kLaptopScale && QFileInfo::exists(file);
    outcome_->setVisible(kept);
    outcome_note_->setVisible(kept);
    if (!kept) return;
    outcome_->setPixmap(QIcon(file).pixmap(kOutcomeSize));
    outcome_->setAccessibleName(tr("What one run of this study came to"));
    outcome_note_->setText(
        tr("What one run of it came to; RESULTS.md beside the template says on "
           "which machine and with what doubt."));
}

void GalleryDialog::show_claims(const Study& study) {
    while (QLayoutItem* item = claim_rows_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    claims_->setVisible(!study.expect.empty());
    auto* heading = text_label("galleryClaimsHeading", "heading");
    heading->setText(tr("What it tests"));
    claim_rows_->addWidget(heading);
    for (const Claim& claim : study.expect) {
        auto* row = text_label("galleryClaim");
        const std::string& says = claim.says.empty() ? claim.text : claim.says;
        const std::string source = claim.source.empty() ? "" : fmt::format(" ({})", claim.source);
        row->setTextFormat(Qt::PlainText);
        row->setText(QString::fromStdString("• " + says + source));
        row->setToolTip(QString::fromStdString(claim.text));
        claim_rows_->addWidget(row);
    }
}

void GalleryDialog::predict() {
    delete worker_;
    output_.clear();
    cost_->setText(tr("Timing a few steps on this machine …"));
    worker_ = new WorkerProcess(this);
    connect(worker_, &WorkerProcess::wrote, this,
            [this](const QByteArray& bytes) { output_ += bytes; });
    connect(worker_, &WorkerProcess::ended, this, &GalleryDialog::take_prediction);
    worker_->start(program_, {"study", "predict", "--from", chosen().folder.string(), "--scale",
                              scale(), "--json"});
}

void GalleryDialog::take_prediction(const WorkerEnd& end) {
    QString text = QString::fromStdString(worker_problem(end));
    if (end.well()) try {
            text = cost_text(output_);
        } catch (const std::exception& error) {
            text = QString::fromUtf8(error.what());
        }
    cost_->setText(end.well() ? text : tr("What it takes is not known: %1").arg(text));
    worker_->deleteLater();
    worker_ = nullptr;
}

void GalleryDialog::browse() {
    const QString folder = QFileDialog::getSaveFileName(
        this, tr("Folder of the new study"), folder_->text(), {}, nullptr,
        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (!folder.isEmpty()) folder_->setText(QDir::toNativeSeparators(folder));
}

/// Its runs stand in it at once, waiting: whoever opens it sees what will be trained.
void GalleryDialog::make() {
    const QString folder = QDir::fromNativeSeparators(folder_->text().trimmed());
    try {
        if (folder.isEmpty()) throw UserError("no folder is named", "type one, or browse");
        const std::filesystem::path path = folder.toStdString();
        make_study(chosen(), scale(), path);
        expand_study(load_study(StudyFolder{path}.plan()), path, [](const std::string&) {});
    } catch (const std::exception& error) {
        problem_->setText(QString::fromUtf8(error.what()));
        problem_->show();
        return;
    }
    made_ = folder;
    accept();
}

}  // namespace headroom
