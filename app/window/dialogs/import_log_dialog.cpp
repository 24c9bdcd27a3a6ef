#include "app/window/dialogs/import_log_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>
#include <exception>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/log/interop/read_foreign_log.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

/// Without how to mend it on the command line.
std::string what_is_wrong(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(';'));
}

}  // namespace

ImportLogDialog::ImportLogDialog(QWidget* parent)
    : QDialog(parent),
      source_(new QLineEdit),
      form_(new QFormLayout),
      run_(new QComboBox),
      tokens_(new QSpinBox),
      train_(new QComboBox),
      val_(new QComboBox),
      note_(new QLabel),
      task_([](const Request& request) { return load(request); },
            [this](Result result) {
                QMetaObject::invokeMethod(this,
                                          [this, result = std::move(result)] { take(result); });
            }) {
    setWindowTitle(tr("Import a log of another tool"));
    lay_out();
    connect(source_, &QLineEdit::textChanged, this, [this] {
        run_->clear();
        read({source().toStdString(), ""});
    });
    connect(run_, &QComboBox::activated, this, [this] {
        read({source().toStdString(), source_run()});
    });
    connect(tokens_, &QSpinBox::valueChanged, this, &ImportLogDialog::judge);
    for (QComboBox* loss : {train_, val_})
        connect(loss, &QComboBox::currentIndexChanged, this, &ImportLogDialog::judge);
    take({});
}

ImportLogDialog::~ImportLogDialog() = default;

void ImportLogDialog::lay_out() {
    source_->setObjectName("importSource");
    source_->setPlaceholderText(
        tr("TensorBoard, Weights && Biases, Hugging Face, nanoGPT, llm.c, CSV, JSON lines")
            .replace("&&", "&"));
    run_->setObjectName("importRun");
    tokens_->setObjectName("importTokens");
    tokens_->setRange(0, std::numeric_limits<int>::max());
    tokens_->setGroupSeparatorShown(true);
    tokens_->setSpecialValueText(tr("as the log says"));
    tokens_->setToolTip(tr("batch_size × seq_len × grad_accum"));
    train_->setObjectName("importTrainLoss");
    val_->setObjectName("importValLoss");
    note_->setObjectName("importNote");
    note_->setWordWrap(true);
    note_->setTextFormat(Qt::PlainText);  // names of a file that anybody made
    note_->setMinimumHeight(3 * fontMetrics().height());
    note_->setAlignment(Qt::AlignTop | Qt::AlignLeft);

    auto* file = new QPushButton(tr("&File…"));
    auto* folder = new QPushButton(tr("F&older…"));
    for (QPushButton* button : {file, folder}) button->setAutoDefault(false);
    connect(file, &QPushButton::clicked, this,
            [this] { set_source(QFileDialog::getOpenFileName(this, tr("Log of one run"))); });
    connect(folder, &QPushButton::clicked, this,
            [this] { set_source(QFileDialog::getExistingDirectory(this, tr("Log of one run"))); });
    auto* row = new QHBoxLayout;
    row->addWidget(source_, 1);
    row->addWidget(file);
    row->addWidget(folder);
    auto* label = new QLabel(tr("&Log of one run"));
    label->setBuddy(source_);
    form_->addRow(label, row);
    form_->addRow(tr("R&un of several"), run_);
    form_->setRowVisible(run_, false);
    form_->addRow(tr("&Tokens in a step"), tokens_);
    form_->addRow(tr("T&raining loss"), train_);
    form_->addRow(tr("&Validation loss"), val_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    import_ = buttons->addButton(tr("&Import"), QDialogButtonBox::AcceptRole);
    import_->setObjectName("importAccept");
    import_->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(form_);
    column->addWidget(note_);
    column->addWidget(buttons);
    resize(620, sizeHint().height());
}

void ImportLogDialog::set_source(const QString& path) {
    if (!path.isEmpty()) source_->setText(path);
}

QString ImportLogDialog::source() const {
    return source_->text().trimmed();
}

ImportChoice ImportLogDialog::choice() const {
    return {.train_loss = train_->currentData().toString().toStdString(),
            .val_loss = val_->currentData().toString().toStdString(),
            .tokens_per_step = tokens_->value()};
}

std::string ImportLogDialog::source_run() const {
    return run_->currentText().toStdString();
}

void ImportLogDialog::read(Request request) {
    read_ = {};
    asked_ = request;
    say(tr("Reading …").toStdString(), false);
    task_.request(std::move(request));
}

ImportLogDialog::Result ImportLogDialog::load(const Request& request) {
    Result result{request, {}, nullptr, {}};
    if (request.path.empty()) return result;
    try {
        result.runs = runs_in_log(request.path);
        const bool takes_first = request.run.empty() && !result.runs.empty();
        const std::string run = takes_first ? result.runs.front() : request.run;
        result.log =
            std::make_shared<const ForeignLog>(read_foreign_log(request.path, {.run = run}));
    } catch (const std::exception& error) {
        result.error = what_is_wrong(error);
    }
    return result;
}

/// Those of a new source; the one that was read is the chosen one already.
void ImportLogDialog::offer_runs(const Result& result) {
    if (result.asked.run.empty()) {
        run_->clear();
        for (const std::string& run : result.runs) run_->addItem(QString::fromStdString(run));
    }
    form_->setRowVisible(run_, !result.runs.empty());
}

void ImportLogDialog::take(const Result& result) {
    if (result.asked != asked_) return;  // another one is on its way
    read_ = result;
    offer_runs(result);
    for (QComboBox* loss : {train_, val_}) {
        const QSignalBlocker blocker(loss);
        loss->clear();
        loss->addItem(tr("by its usual name"), QString());
        if (!read_.log) continue;
        for (const auto& [name, points] : read_.log->scalars)
            loss->addItem(QString::fromStdString(name), QString::fromStdString(name));
    }
    judge();
}

void ImportLogDialog::judge() {
    if (!read_.log) return say(read_.error, false);
    try {
        const ImportReport report = plan_import(*read_.log, choice());
        const auto named = [](const std::string& name) { return name.empty() ? "none" : name; };
        std::string text = fmt::format("{}: training loss {}, validation loss {}, {} other series",
                                       read_.log->tool, named(report.train_loss),
                                       named(report.val_loss), report.others.size());
        if (tokens_->value() == 0 && read_.log->tokens_per_step > 0)
            text +=
                fmt::format(", {} tokens in a step", format_integer(read_.log->tokens_per_step));
        if (!report.notes.empty()) text += fmt::format("\n{}", fmt::join(report.notes, "\n"));
        say(text, true);
    } catch (const std::exception& error) {
        say(what_is_wrong(error), false);
    }
}

void ImportLogDialog::say(const std::string& text, bool can_import) {
    note_->setText(QString::fromStdString(text));
    import_->setEnabled(can_import);
}

}  // namespace headroom
