#pragma once

#include <QDialog>
#include <vector>

#include "app/help/help_book.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QTextBrowser;
class QUrl;

namespace headroom {

struct PageInfo;

/// The help: a line to search in, the topics found, and the chosen one.
class HelpDialog : public QDialog {
    Q_OBJECT
  public:
    HelpDialog(std::vector<HelpTopic> topics, QWidget* parent);

    /// Shows a topic, whatever was searched for; nothing happens for an id that there is not.
    void show_topic(const std::string& id);

    QLineEdit* search() const { return search_; }
    QListWidget* list() const { return list_; }
    QLabel* summary() const { return summary_; }
    QTextBrowser* text() const { return text_; }

  private:
    void fill(const QString& query);
    void show_row(int row);
    void show_nothing();
    void follow(const QUrl& link);

    std::vector<HelpTopic> topics_;
    QLineEdit* search_;
    QListWidget* list_;
    QLabel* summary_;
    QTextBrowser* text_;
};

/// The READMEs that the program carries.
std::vector<HelpSource> help_sources();

/// Opens the help on `pages` over `parent`, at what the page named `page` shows and what its
/// numbers mean; returns when it is closed.
void show_help(const std::vector<const PageInfo*>& pages, const QString& page, QWidget* parent);
void show_about(QWidget* parent);

}  // namespace headroom
