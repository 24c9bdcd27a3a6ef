#pragma once

#include <QObject>
#include <set>

#include "panels/base/study_look.h"
#include "panels/base/theme.h"
#include "panels/study/label_runs.h"

class QKeyEvent;
class QMenu;
class QPoint;
class QWidget;

namespace headroom {

/// What a person can ask of runs that are selected, one or many, wherever they are listed: the menu
/// and the keys. UI thread only.
class RunEdits : public QObject {
    Q_OBJECT
  public:
    /// Menus and questions open over `list`, which owns this.
    explicit RunEdits(QWidget* list);

    void set_study(const StudyLook& look) { look_ = look; }
    void set_theme(const Theme& theme) { theme_ = theme; }

    void show_menu(const std::vector<std::string>& ids, const QPoint& at);
    /// E, R, C, T, N, F2 and Delete; menus open at this place of the screen. False if the key is
    /// none of these.
    bool press_key(const QKeyEvent& key, const std::vector<std::string>& ids, const QPoint& at);
    /// Shows them all, or hides them all where all are shown.
    void toggle(const std::vector<std::string>& ids);
    void ask_color(const std::vector<std::string>& ids, const QPoint& at);
    void ask_name(const std::vector<std::string>& ids);
    void ask_tags(const std::vector<std::string>& ids);
    void ask_note(const std::vector<std::string>& ids);

  signals:
    void hidden_asked(const std::set<std::string>& ids);
    void reference_asked(const std::string& id);
    void removal_asked(const std::vector<std::string>& ids);
    void label_asked(const std::vector<std::string>& ids, const headroom::LabelChange& change);

  private:
    void add_colors(QMenu& menu, const std::vector<std::string>& ids);
    void show_alone(const std::vector<std::string>& ids);
    std::vector<RunPointer> runs_of(const std::vector<std::string>& ids) const;

    QWidget* list_;
    StudyLook look_;
    Theme theme_;
};

/// Tags of runs as one line that can be edited for all of them: those that every run has, and those
/// that only some have, which an edit of the line leaves as they are.
struct SharedTags {
    std::vector<std::string> all, some;
};
SharedTags shared_tags(const std::vector<RunPointer>& runs);
/// What the line asks for in the place of `before`.
LabelChange change_of_tags(const std::vector<std::string>& before, const std::string& line);

}  // namespace headroom
