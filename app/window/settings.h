#pragma once

#include <QByteArray>
#include <QStringList>

#include "app/window/studio_store.h"
#include "panels/base/theme.h"

namespace headroom {

/// What the studio remembers between sessions, in the desktop's place for settings. UI thread only.
class Settings {
  public:
    ThemeChoice theme() const;
    void set_theme(ThemeChoice choice);

    /// Size of all text in per cent of the desktop's, from 80 to 200.
    int text_percent() const;
    void set_text_percent(int percent);

    /// What people call the first layer and the first head: 0, as files do, or 1.
    int first_number() const;
    void set_first_number(int number);

    /// Runs that the queue trains at a time; 0: one, or one for each GPU.
    int run_slots() const;
    void set_run_slots(int count);

    /// Whether the window says in a line of its own that a queue ended or a run diverged, and
    /// whether the desktop says so while nobody looks at the window.
    bool notices() const;
    void set_notices(bool on);
    bool desktop_messages() const;
    void set_desktop_messages(bool on);

    /// Whether the tour of the studio was begun once.
    bool tour_seen() const;
    void set_tour_seen();

    /// Study folders, the newest first, without those that are gone.
    QStringList recent_studies() const;
    void add_recent_study(const QString& folder);
    void clear_recent_studies();

    /// The study that is open, or was when the last window closed; empty for none.
    QString session() const;
    void set_session(const QString& folder);

    QByteArray geometry() const;
    void set_geometry(const QByteArray& geometry);

    /// For the settings of single panels, in a group of their own each.
    QSettings& store() { return store_; }

  private:
    mutable StudioStore store_;
};

}  // namespace headroom
