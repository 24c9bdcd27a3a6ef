#pragma once

#include <QWidget>
#include <vector>

#include "app/window/panels.h"
#include "panels/base/theme.h"

class QSettings;
class QSplitter;

namespace headroom {

class ActivityBar;
class JobPanel;
class JobStrip;
class OptionsPane;
class PageArea;
class Panel;
class RunList;
class StudySession;
class WorkerLogPanel;

/// The window while a study is open: activities at the left edge, the list of runs, one page or two
/// beside each other, the options of the page, and the line of jobs below. A page is made when it
/// is first asked for. UI thread only.
class Workspace : public QWidget {
    Q_OBJECT
  public:
    Workspace(const StudioServices& services, StudySession& session);
    ~Workspace() override;

    /// All that there are, made or not, in the order of activities and tabs.
    const std::vector<const PageInfo*>& pages() const { return pages_; }
    /// Those that are made.
    std::vector<Panel*> made_pages() const;
    /// By name, made now if it is not yet; nullptr if there is none.
    Panel* find(const QString& name);
    /// The page that is looked at: of two, the one that was used last.
    Panel* active() const;

    Panel* main_page() const;
    /// nullptr where one page has all the room.
    Panel* page_beside() const;

    void go_to(Panel* page);
    /// One page, or two beside each other.
    void show_pages(Panel* page, Panel* beside);
    /// To the page of an activity that was seen last.
    void go_to_activity(int index);
    /// To the tab beside the one that is looked at: 1 to the right, -1 to the left, round again.
    void go_to_tab(int by);
    /// Two pages beside each other, or one.
    void set_split(bool on);
    bool is_split() const;
    void fold_runs(bool folded);
    bool runs_folded() const;
    void open_options(bool open);
    bool options_open() const;
    void open_drawer(bool open);
    bool drawer_open() const;
    /// From the list of runs to the page, its neighbour, the options, and round again.
    void focus_next_pane();

    void set_theme(const Theme& theme);
    ActivityBar* bar() const { return bar_; }
    JobStrip* strip() const { return strip_; }
    RunList* run_list() const { return run_list_; }

    /// Places and sizes, not what the panels keep.
    void save(QSettings& store) const;
    void restore(QSettings& store);
    void reset();

  signals:
    /// It has its theme, but knows nothing of settings and of the study.
    void made(headroom::Panel* page);
    /// Another page, or what can be done with it.
    void page_changed();
    void help_asked(headroom::Panel* page);
    void figure_asked(headroom::Panel* page);
    void copy_asked(headroom::Panel* page);
    void export_asked(headroom::Panel* page);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    /// A page of an activity, and its panel once that is made.
    struct Place {
        const Page* page;
        size_t activity;
        bool options_open;  ///< whether the person wants its options open
        Panel* panel = nullptr;
    };

    void list_pages();
    void make(Place& place);
    void make_drawer();
    void connect_area(PageArea* area);
    void lay_out();
    void keep_focus_on_page(const QWidget* before, const QWidget* now);
    void show_in(PageArea* area, Panel* page);
    void update_panels();
    void set_list_folded(bool folded);
    void show_options();
    /// Too narrow for options that nobody asked for.
    bool is_narrow() const;
    Place& place_of(const Panel* page);
    std::vector<const PageInfo*> neighbours_of(const Panel* page);

    StudioServices services_;
    StudySession& session_;
    std::vector<Place> places_;
    std::vector<const PageInfo*> pages_;     ///< of the places
    std::vector<QString> last_of_activity_;  ///< names of pages
    const Theme* theme_ = nullptr;
    ActivityBar* bar_;
    RunList* run_list_;
    PageArea *main_, *beside_;
    PageArea* used_;  ///< last
    OptionsPane* options_;
    QSplitter *columns_, *rows_;
    QWidget* drawer_;
    JobPanel* queue_;
    WorkerLogPanel* log_;
    JobStrip* strip_;
    bool fold_wish_ = false;
    bool narrow_options_ = false;  ///< asked for in a narrow window
    int last_width_ = 0;
};

}  // namespace headroom
