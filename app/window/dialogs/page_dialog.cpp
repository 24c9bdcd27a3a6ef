#include "app/window/dialogs/page_dialog.h"

#include <QMessageBox>

#include "app/window/dialogs/export_dialog.h"

namespace headroom {

QString ask_and_write_page(QWidget* parent, const QString& folder, const QString& name,
                           const QString& ending, const std::function<FigurePage()>& make_page) {
    ExportDialog dialog(make_page(), folder + "/" + name + "." + ending, parent);
    return dialog.exec() == QDialog::Accepted ? dialog.file() : QString();
}

void export_from_dialog(QWidget* dialog, const QString& folder, const QString& name,
                        const std::function<FigurePage()>& make_page) {
    try {
        ask_and_write_page(dialog, folder, name, "pdf", make_page);
    } catch (const std::exception& error) {
        QMessageBox::warning(dialog, dialog->windowTitle(), QString::fromUtf8(error.what()));
    }
}

}  // namespace headroom
