#include "app/window/dialogs/help_dialog.h"

#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QLabel>
#include <QMessageBox>
#include <QVBoxLayout>

#include "panels/qt/panel.h"

namespace headroom {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("HelpDialog", text);
}

}  // namespace

void show_help(const Panel& page, QWidget* parent) {
    QDialog dialog(parent);
    dialog.setObjectName("viewHelp");
    dialog.setWindowTitle(page.title());
    auto* text = new QLabel(page.help());
    text->setTextFormat(Qt::MarkdownText);
    text->setWordWrap(true);
    text->setMinimumWidth(420);
    text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(&dialog);
    column->setContentsMargins(20, 16, 20, 16);
    column->addWidget(text);
    column->addWidget(buttons);
    dialog.exec();
}

void show_about(QWidget* parent) {
    QMessageBox::about(
        parent, tr("About Headroom"),
        tr("<h3>Headroom %1</h3><p>A desktop studio for people who study Transformer "
           "attention.</p><p>Free software under the GNU General Public License, "
           "version 3 or later, with leave to link the CUDA libraries.</p>")
            .arg(HEADROOM_VERSION));
}

}  // namespace headroom
