#include "app/window/dialogs/trash_dialog.h"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLocale>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/window/services/run_commands.h"
#include "app/window/services/study_session.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

/// The local time of "20261122-201500", which is UTC; the name itself where it is none.
QString when(const std::string& name) {
    QString text = QString::fromStdString(name);
    QDateTime time = QDateTime::fromString(text.left(15), "yyyyMMdd-HHmmss");
    if (!time.isValid()) return text;
    time.setTimeSpec(Qt::UTC);
    return QLocale::system().toString(time.toLocalTime(), QLocale::ShortFormat);
}

}  // namespace

TrashDialog::TrashDialog(StudySession& session, RunCommands& commands, QWidget* parent)
    : QDialog(parent), session_(session), commands_(commands), list_(new QTreeWidget) {
    setObjectName("trashDialog");
    setWindowTitle(tr("Removed runs"));
    list_->setObjectName("trashList");
    list_->setAccessibleName(tr("Removals, the newest first"));
    list_->setRootIsDecorated(false);
    list_->setHeaderLabels({tr("Removed"), tr("Runs"), tr("Size")});
    list_->header()->setStretchLastSection(false);
    list_->header()->setSectionResizeMode(1, QHeaderView::Stretch);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    restore_ = buttons->addButton(tr("&Bring back"), QDialogButtonBox::ActionRole);
    erase_ = buttons->addButton(tr("&Delete for good…"), QDialogButtonBox::ActionRole);
    restore_->setObjectName("trashRestore");
    erase_->setObjectName("trashDelete");
    auto* column = new QVBoxLayout(this);
    column->addWidget(list_, 1);
    column->addWidget(buttons);
    resize(620, 320);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(restore_, &QPushButton::clicked, this, &TrashDialog::restore);
    connect(erase_, &QPushButton::clicked, this, &TrashDialog::erase);
    connect(list_, &QTreeWidget::itemActivated, this, &TrashDialog::restore);
    connect(&session_, &StudySession::changed, this, &TrashDialog::read);
    fill({});
    read();
}

void TrashDialog::read() {
    if (!session_.look().is_open()) return reject();
    const QPointer<TrashDialog> self(this);
    session_.watcher().run([self, session = &session_, study = session_.look().study->folder] {
        const std::vector<TrashEntry> entries = list_trash(study);
        QMetaObject::invokeMethod(session, [self, entries] {
            if (self) self->fill(entries);
        });
    });
}

void TrashDialog::fill(const std::vector<TrashEntry>& entries) {
    const TrashEntry* before = chosen();
    const std::string name = before ? before->name : "";
    entries_ = entries;
    list_->clear();
    for (const TrashEntry& entry : entries_) {
        const std::string runs = fmt::format("{}", fmt::join(entry.runs, ", "));
        auto* item = new QTreeWidgetItem(
            list_, {when(entry.name), QString::fromStdString(runs),
                    QString::fromStdString(format_bytes(static_cast<int64_t>(entry.bytes)))});
        item->setToolTip(1, QString::fromStdString(runs));
        item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
        if (entry.name == name) list_->setCurrentItem(item);
    }
    if (!list_->currentItem() && !entries_.empty()) list_->setCurrentItem(list_->topLevelItem(0));
    list_->resizeColumnToContents(0);
    list_->resizeColumnToContents(2);
    for (QPushButton* button : {restore_, erase_}) button->setEnabled(!entries_.empty());
}

const TrashEntry* TrashDialog::chosen() const {
    const int row = list_->indexOfTopLevelItem(list_->currentItem());
    return row < 0 || row >= static_cast<int>(entries_.size())
               ? nullptr
               : &entries_[static_cast<size_t>(row)];
}

void TrashDialog::restore() {
    if (const TrashEntry* entry = chosen()) commands_.restore(*entry);
    read();
}

void TrashDialog::erase() {
    const TrashEntry* entry = chosen();
    if (!entry) return;
    QMessageBox box(QMessageBox::Warning, tr("Delete for good"),
                    tr("Delete these runs with their logs and checkpoints? Nothing brings them "
                       "back."),
                    QMessageBox::Cancel, this);
    box.setInformativeText(QString::fromStdString(fmt::format("{}", fmt::join(entry->runs, ", "))));
    const QAbstractButton* yes = box.addButton(tr("Delete"), QMessageBox::AcceptRole);
    box.setDefaultButton(QMessageBox::Cancel);
    box.setObjectName("deleteRuns");
    box.exec();
    if (box.clickedButton() != yes) return;
    session_.watcher().run(
        [study = session_.look().study->folder, name = entry->name] { delete_trash(study, name); });
    read();
}

}  // namespace headroom
