#pragma once

#include <QWidget>
#include <optional>

#include "core/study/study.h"
#include "panels/base/study_look.h"
#include "panels/base/theme.h"
#include "panels/figure/page_export.h"

class QSettings;

namespace headroom {

/// What is known of a page of the studio before anybody looks at it.
struct PageInfo {
    QString name;  ///< stands for it in settings and commands
    QString title;
    QString help;               ///< what “?” says, in Markdown
    bool opens_options = true;  ///< whether the pane of options is open at first
};

/// One page of the studio. The window frames it (title, help, options, export), tells it what is
/// looked at while it is visible, and keeps its settings; a panel knows nothing of the window and
/// of other panels. It is made when it is first looked at. A new one is a class like this and
/// a line in app/window/panels.cpp. UI thread only.
class Panel : public QWidget {
    Q_OBJECT
  public:
    explicit Panel(PageInfo info);

    const PageInfo& info() const { return info_; }
    const QString& name() const { return info_.name; }
    const QString& title() const { return info_.title; }

    virtual void set_theme(const Theme& theme) = 0;
    /// People call layers and heads by other numbers now (panels/base/numbering.h).
    virtual void relabel() {}
    /// Called when the panel becomes visible, while it is whenever something changed, and with a
    /// look that is not open when the study is closed. Must be cheap where nothing changed.
    virtual void set_study(const StudyLook& look) = 0;
    /// True for the few that must know what happens while nobody sees them.
    virtual bool follows_unseen() const { return false; }

    /// Its controls, which the window shows in the pane of options; nullptr if it has none. Owned
    /// by the panel until the window takes it in.
    virtual QWidget* options() { return nullptr; }
    /// Where the keys go when the person comes to this page.
    virtual QWidget* focus_target() { return this; }

    /// Whether there is a picture to export now, and that picture. REQUIRES for picture():
    /// has_picture(). May throw UserError.
    virtual bool has_picture() const { return false; }
    virtual FigurePage picture() const;
    /// Suggested name of an exported file, without ending.
    virtual QString picture_name() const { return name(); }
    /// What messages call it.
    virtual QString picture_title() const { return title(); }

    /// What it shows now as a figure that a study draws anew by itself; none if no recipe of
    /// `headroom figure` draws it. Things of the moment, such as the pointer's, do not count.
    virtual std::optional<StudyFigure> recipe() const { return std::nullopt; }

    /// What its main button does: measure, probe, generate; or stop that.
    virtual void act() {}
    virtual void fit() {}
    /// Esc: gives up what was begun here; false where nothing was.
    virtual bool leave() { return false; }
    /// Take back the last thing that stepped() announced, and do it anew.
    virtual void undo() {}
    virtual void redo() {}

    /// Settings between sessions. All panels have one store: each opens a group of its own.
    virtual void save(QSettings&) const {}
    virtual void restore(QSettings&) {}
    /// The same with what only matters for a while, such as the visible part: for undo and for
    /// views that a person saves.
    virtual void save_view(QSettings& store) const { save(store); }
    virtual void restore_view(QSettings& store) { restore(store); }

  signals:
    /// The person changed a setting: it is saved at once, so that a crash loses nothing.
    void settings_changed();
    /// The person went elsewhere in it, and save_view() keeps where.
    void moved();
    /// The person did something that save_view() does not keep, and undo() takes back.
    void stepped();
    /// has_picture() may have changed.
    void picture_changed();
    /// The panel's own button asks for an export.
    void export_asked();
    /// The panel asks the window to look at something else.
    void reference_asked(const std::string& id);
    void hidden_asked(const std::set<std::string>& ids);
    void selection_asked(const std::vector<std::string>& ids);
    void page_asked(const QString& name);

  private:
    PageInfo info_;
};

}  // namespace headroom
