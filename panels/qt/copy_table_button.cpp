#include "panels/qt/copy_table_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <utility>

namespace headroom {

CopyTableButton::CopyTableButton(QWidget* parent) : QToolButton(parent) {
    setText(tr("Copy as"));
    setAccessibleName(tr("Copy the table"));
    setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(this);
    const auto offer = [&](const QString& format, auto text) {
        connect(menu->addAction(format), &QAction::triggered, this,
                [text] { QGuiApplication::clipboard()->setText(QString::fromStdString(text())); });
    };
    offer(tr("CSV, numbers in full"), [this] { return csv_(); });
    offer(tr("Markdown"), [this] { return markdown_table(printed_()); });
    offer(tr("LaTeX (booktabs)"), [this] { return latex_table(printed_()); });
    setMenu(menu);
}

void CopyTableButton::set_source(std::function<std::string()> csv,
                                 std::function<PrintedTable()> printed) {
    csv_ = std::move(csv);
    printed_ = std::move(printed);
}

}  // namespace headroom
