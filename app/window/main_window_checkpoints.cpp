#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/main_window.h"
#include "core/weights/interop/tensor_set.h"
#include "panels/architecture/architecture_panel.h"

namespace headroom {

void MainWindow::ask_for_checkpoint() {
    const StudyPointer study = watcher_->study();
    const QString start = study ? QString::fromStdString(study->folder.string()) : QDir::homePath();
    const QString file = QFileDialog::getOpenFileName(
        this, tr("Open a checkpoint of Headroom, nanoGPT, Hugging Face GPT-2 or Llama"), start,
        tr("Checkpoints (*.safetensors *.safetensors.index.json);;All files (*)"));
    if (!file.isEmpty()) open_checkpoint(file);
}

CheckpointDialog* MainWindow::open_checkpoint(const QString& path) {
    auto* dialog = new CheckpointDialog(QDir(path).absolutePath(), *theme_, this);
    connect(dialog->architecture(), &ArchitecturePanel::export_asked, this, [this, dialog] {
        const QString title = QString::fromStdString(dialog->architecture()->view().title);
        ask_for_page("architecture-" + title, "pdf",
                     [dialog] { return dialog->architecture()->page(); });
    });
    dialog->show();
    return dialog;
}

void MainWindow::open_path(const QString& path) {
    if (names_checkpoint(path.toStdString()))
        open_checkpoint(path);
    else
        open_study(path);
}

}  // namespace headroom
