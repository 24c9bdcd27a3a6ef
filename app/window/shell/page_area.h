#pragma once

#include <QWidget>
#include <vector>

class QComboBox;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace headroom {

class Panel;
struct PageInfo;

/// A place for one page: its name and its neighbours' as tabs, or all pages as a list where it
/// stands beside another; help, copy and export at the right; the page itself.
class PageArea : public QWidget {
    Q_OBJECT
  public:
    enum class Chooser { kTabs, kList };
    explicit PageArea(Chooser chooser);

    /// Makes it a child, hidden.
    void adopt(Panel* page);
    /// What may be chosen here, and which of it is shown. Takes the page from another area.
    void show_page(const std::vector<const PageInfo*>& choices, Panel* page);
    Panel* page() const { return page_; }
    /// Lets the page go, so that another area may have it.
    void release();
    void update_buttons();

  signals:
    void chosen(const QString& name);
    void help_asked();
    void figure_asked();
    void copy_asked();
    void export_asked();
    void close_asked();

  private:
    QToolButton* add_button(const QString& name, const QString& text, const QString& help,
                            void (PageArea::*asked)());

    std::vector<const PageInfo*> choices_;
    Panel* page_ = nullptr;
    QTabBar* tabs_ = nullptr;
    QComboBox* list_ = nullptr;
    QWidget* header_;
    QStackedWidget* body_;
    std::vector<QToolButton*> buttons_;
    bool filling_ = false;
};

}  // namespace headroom
