#include "app/window/dialogs/help_dialog.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QSplitter>
#include <QTextBrowser>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>

#include "app/figure/figure_main.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

constexpr const char* kName = "viewHelp";
constexpr int kTopic = Qt::UserRole;  ///< index in the topics, of a row of the list

QString tr(const char* text) {
    return QCoreApplication::translate("HelpDialog", text);
}

/// The README of a chapter, "" for other topics.
QString file_of(const std::string& id) {
    const QString text = QString::fromStdString(id);
    return text.startsWith("chapter:") ? text.section(':', 1).section('#', 0, 0) : QString();
}

std::vector<HelpTopic> topics_of(const std::vector<const PageInfo*>& pages) {
    std::vector<HelpedPage> helped;
    for (const PageInfo* page : pages)
        helped.push_back(
            {page->name.toStdString(), page->title.toStdString(), page->help.toStdString()});
    std::sort(helped.begin(), helped.end(),
              [](const HelpedPage& a, const HelpedPage& b) { return a.title < b.title; });
    return help_topics(helped, whole_program_tree(), help_sources());
}

}  // namespace

HelpDialog::HelpDialog(std::vector<HelpTopic> topics, QWidget* parent)
    : QDialog(parent),
      topics_(std::move(topics)),
      search_(new QLineEdit),
      list_(new QListWidget),
      summary_(new QLabel),
      text_(new QTextBrowser) {
    setObjectName(kName);
    setWindowTitle(tr("Help"));
    search_->setPlaceholderText(tr("Search pages, commands and chapters"));
    search_->setClearButtonEnabled(true);
    list_->setAccessibleName(tr("Topics"));
    text_->setAccessibleName(tr("Help"));
    text_->setOpenLinks(false);
    summary_->setTextFormat(Qt::MarkdownText);
    summary_->setWordWrap(true);
    summary_->setMargin(6);
    summary_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(search_);
    column->addWidget(list_);
    auto* both = new QSplitter;
    both->addWidget(left);
    auto* right = new QWidget;
    auto* reading = new QVBoxLayout(right);
    reading->setContentsMargins(0, 0, 0, 0);
    reading->addWidget(summary_);
    reading->addWidget(text_, 1);
    both->addWidget(right);
    both->setStretchFactor(1, 1);
    both->setSizes({260, 620});
    auto* all = new QVBoxLayout(this);
    all->addWidget(both);
    resize(900, 620);
    connect(search_, &QLineEdit::textChanged, this, &HelpDialog::fill);
    connect(list_, &QListWidget::currentRowChanged, this, &HelpDialog::show_row);
    connect(text_, &QTextBrowser::anchorClicked, this, &HelpDialog::follow);
    fill({});
}

void HelpDialog::fill(const QString& query) {
    list_->clear();
    for (const size_t index : find_topics(topics_, query.toStdString())) {
        auto* item = new QListWidgetItem(QString::fromStdString(topics_[index].title), list_);
        item->setData(kTopic, static_cast<int>(index));
    }
    if (list_->count() > 0)
        list_->setCurrentRow(0);
    else
        show_nothing();
}

void HelpDialog::show_nothing() {
    summary_->hide();
    text_->setMarkdown(tr("Nothing has all of these words."));
}

void HelpDialog::show_row(int row) {
    const QListWidgetItem* item = list_->item(row);
    if (item == nullptr) return;
    const HelpTopic& topic = topics_[static_cast<size_t>(item->data(kTopic).toInt())];
    summary_->setText(QString::fromStdString(topic.summary));
    summary_->setVisible(!topic.summary.empty());
    const QString title =
        topic.summary.empty() ? "## " + QString::fromStdString(topic.title) + "\n\n" : QString();
    text_->setMarkdown(title + QString::fromStdString(topic.text));
}

void HelpDialog::show_topic(const std::string& id) {
    const auto found = std::find_if(topics_.begin(), topics_.end(),
                                    [&](const HelpTopic& topic) { return topic.id == id; });
    if (found == topics_.end()) return;
    search_->clear();
    list_->setCurrentRow(static_cast<int>(found - topics_.begin()));
}

void HelpDialog::follow(const QUrl& link) {
    if (!link.isRelative()) {
        QDesktopServices::openUrl(link);
        return;
    }
    const QListWidgetItem* item = list_->currentItem();
    if (item == nullptr) return;
    const std::string& id = topics_[static_cast<size_t>(item->data(kTopic).toInt())].id;
    const QUrl target = QUrl("help:/" + file_of(id)).resolved(link);
    const QString file = target.path().mid(1);
    for (const QString& name : {file, file + "README.md", file + "/README.md"})
        show_topic("chapter:" + name.toStdString() + "#");
}

std::vector<HelpSource> help_sources() {
    std::vector<HelpSource> sources;
    const QString root = ":/help/";
    for (QDirIterator files(root, QDir::Files, QDirIterator::Subdirectories); files.hasNext();) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly))
            sources.push_back(
                {file.fileName().mid(root.size()).toStdString(), file.readAll().toStdString()});
    }
    std::sort(sources.begin(), sources.end(), [](const HelpSource& a, const HelpSource& b) {
        const bool nested_a = a.file.find('/') != std::string::npos;
        const bool nested_b = b.file.find('/') != std::string::npos;
        return std::tie(nested_a, a.file) < std::tie(nested_b, b.file);
    });
    return sources;
}

void show_help(const std::vector<const PageInfo*>& pages, const QString& page, QWidget* parent) {
    HelpDialog dialog(topics_of(pages), parent);
    dialog.show_topic("page:" + page.toStdString());
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
