#include "app/window/dialogs/checkpoint_dialog.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QShortcut>
#include <QStyle>
#include <QTabWidget>
#include <QVBoxLayout>

#include "app/window/dialogs/page_dialog.h"
#include "app/window/services/checkpoint_saver.h"
#include "app/window/services/job_queue.h"
#include "app/window/services/try_runner.h"
#include "core/weights/interop/layout.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/details/details_panel.h"
#include "panels/playground/try_panel.h"
#include "panels/wiring/wiring_canvas.h"

namespace headroom {

CheckpointDialog::CheckpointDialog(const QString& path, const Theme& theme, QWidget* parent)
    : QDialog(parent),
      path_(path),
      headline_(new QLabel(tr("Reading %1 …").arg(QDir::toNativeSeparators(path)))),
      keys_(new QLineEdit),
      details_(new DetailsPanel),
      wiring_(new WiringCanvas),
      architecture_(new ArchitecturePanel),
      playground_(new TryPanel),
      tabs_(new QTabWidget),
      saver_(new CheckpointSaver),
      task_(
          [file = path.toStdString()](const std::vector<std::string>& sets) {
              return load(file, sets);
          },
          [this](Result result) {
              QMetaObject::invokeMethod(this, [this, result = std::move(result)] { take(result); });
          }) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("%1 — checkpoint").arg(QFileInfo(path).fileName()));
    resize(720, 620);
    headline_->setWordWrap(true);
    headline_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    set_theme(theme);
    keys_->setPlaceholderText("model.n_head=12 model.block_size=1024");
    keys_->setToolTip(
        tr("What the files of another tool leave open, as KEY=VALUE with spaces "
           "between; press Enter to read the checkpoint anew"));
    connect(keys_, &QLineEdit::returnPressed, this, &CheckpointDialog::request);
    connect(architecture_, &ArchitecturePanel::export_asked, this, [this] {
        const QFileInfo file(path_);
        export_from_dialog(this, file.absolutePath(), "architecture-" + file.completeBaseName(),
                           [this] { return architecture_->page(); });
    });

    new TryRunner(playground_, headroom_program(), this);
    tabs_->addTab(details_, tr("Details"));
    tabs_->addTab(architecture_, tr("Architecture"));
    tabs_->addTab(wiring_, tr("Wiring"));
    tabs_->addTab(playground_, tr("Try"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Keys to set"), keys_);
    auto* column = new QVBoxLayout(this);
    column->addWidget(headline_);
    column->addWidget(tabs_, 1);
    column->addLayout(form);
    column->addWidget(saver_);
    auto* closing = new QShortcut(QKeySequence::Close, this);
    connect(closing, &QShortcut::activated, this, &QDialog::close);
    details_->setFocus();
    request();
}

CheckpointDialog::~CheckpointDialog() = default;

void CheckpointDialog::set_theme(const Theme& theme) {
    wiring_->set_theme(theme);
    architecture_->set_theme(theme);
    playground_->set_theme(theme);
}

void CheckpointDialog::request() {
    loaded_ = false;
    task_.request(sets());
}

std::vector<std::string> CheckpointDialog::sets() const {
    std::vector<std::string> sets;
    for (const QString& word : keys_->text().split(' ', Qt::SkipEmptyParts))
        sets.push_back(word.toStdString());
    return sets;
}

CheckpointDialog::Result CheckpointDialog::load(const std::string& path,
                                                const std::vector<std::string>& sets) {
    try {
        const CheckpointWeights weights = CheckpointWeights::open(path, {.sets = sets});
        return {std::make_shared<CheckpointView>(build_checkpoint_view(weights)), {}};
    } catch (const std::exception& error) {
        return {nullptr, error.what()};
    }
}

void CheckpointDialog::take(const Result& result) {
    loaded_ = true;
    const bool is_good = result.view != nullptr;
    headline_->setObjectName(is_good ? "headline" : "errorLine");  // as the style sheet has it
    headline_->style()->unpolish(headline_);
    headline_->style()->polish(headline_);
    headline_->setText(QString::fromStdString(is_good ? result.view->headline : result.error));
    details_->set_details(is_good ? result.view->sections : std::vector<DetailSection>{});
    wiring_->set_view(is_good ? std::make_shared<WiringView>(result.view->wiring)
                              : std::make_shared<WiringView>());
    architecture_->set_view(is_good ? result.view->architecture : ArchitectureView{});
    tabs_->setTabEnabled(tabs_->indexOf(playground_), is_good);
    if (is_good)
        playground_->set_checkpoints(
            {{path_.toStdString(), QFileInfo(path_).fileName().toStdString(), -1,
              path_.toStdString(), -1, 0, sets()}});
    saver_->set_source(is_good ? path_.toStdString() : "", sets());
    if (!is_good) keys_->setFocus();
}

QString ask_for_checkpoint_file(QWidget* parent, const QString& start) {
    return QFileDialog::getOpenFileName(
        parent,
        QObject::tr("Open a checkpoint of Headroom, %1")
            .arg(QString::fromStdString(layout_titles())),
        start, QObject::tr("Checkpoints (*.safetensors *.safetensors.index.json);;All files (*)"));
}

}  // namespace headroom
