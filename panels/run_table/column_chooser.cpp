#include "panels/run_table/column_chooser.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

namespace headroom {
namespace {

void add_entry(QListWidget* list, const std::string& column, bool shown) {
    auto* item = new QListWidgetItem(QString::fromStdString(column), list);
    item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable |
                   Qt::ItemIsDragEnabled);
    item->setCheckState(shown ? Qt::Checked : Qt::Unchecked);
}

}  // namespace

std::optional<std::vector<std::string>> ask_columns(QWidget* parent,
                                                    const std::vector<std::string>& all,
                                                    const std::vector<std::string>& shown) {
    QDialog dialog(parent);
    dialog.setObjectName("columnChooser");
    dialog.setWindowTitle(QObject::tr("Columns"));
    auto* find = new QLineEdit;
    find->setPlaceholderText(QObject::tr("Find a column"));
    find->setClearButtonEnabled(true);
    auto* list = new QListWidget;
    list->setObjectName("columnList");
    list->setDragDropMode(QAbstractItemView::InternalMove);
    list->setToolTip(QObject::tr("Drag to order"));
    for (const std::string& column : shown) add_entry(list, column, true);
    for (const std::string& column : all)
        if (std::find(shown.begin(), shown.end(), column) == shown.end())
            add_entry(list, column, false);
    QObject::connect(find, &QLineEdit::textChanged, list, [list](const QString& text) {
        for (int i = 0; i < list->count(); ++i)
            list->item(i)->setHidden(!list->item(i)->text().contains(text, Qt::CaseInsensitive));
    });
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
    bool usual = false;
    QPushButton* reset =
        buttons->addButton(QObject::tr("Usual columns"), QDialogButtonBox::ResetRole);
    QObject::connect(reset, &QPushButton::clicked, &dialog, [&] {
        usual = true;
        dialog.accept();
    });
    QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(&dialog);
    column->addWidget(find);
    column->addWidget(list, 1);
    column->addWidget(buttons);
    dialog.resize(360, 460);
    if (dialog.exec() != QDialog::Accepted) return std::nullopt;
    std::vector<std::string> chosen;
    for (int i = 0; i < list->count() && !usual; ++i)
        if (list->item(i)->checkState() == Qt::Checked)
            chosen.push_back(list->item(i)->text().toStdString());
    return chosen;
}

}  // namespace headroom
