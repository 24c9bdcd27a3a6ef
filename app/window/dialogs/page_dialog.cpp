#include "app/window/dialogs/page_dialog.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>

namespace headroom {
namespace {

QString page_text(const char* text) {
    return QCoreApplication::translate("PageDialog", text);
}

}  // namespace

QString ask_and_write_page(QWidget* parent, const QString& folder, const QString& name,
                           const QString& ending, const std::function<FigurePage()>& make_page) {
    const QStringList filters{page_text("PDF (*.pdf)"), page_text("SVG (*.svg)"),
                              page_text("PNG (*.png)"), page_text("CSV (*.csv)")};
    QString filter = filters.filter("*." + ending).value(0);
    QString file = QFileDialog::getSaveFileName(parent, page_text("Export figure"),
                                                folder + "/" + name + "." + ending,
                                                filters.join(";;"), &filter);
    if (file.isEmpty()) return file;
    if (QFileInfo(file).suffix().isEmpty()) file += "." + filter.section("*.", 1).chopped(1);
    export_page(make_page(), file.toStdString());
    return file;
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
