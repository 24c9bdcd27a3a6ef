#pragma once

#include <QByteArray>
#include <QSettings>
#include <QStringList>

#include "panels/base/theme.h"

namespace headroom {

/// What the studio remembers between sessions, in the desktop's place for settings. UI thread only.
class Settings {
  public:
    ThemeChoice theme() const;
    void set_theme(ThemeChoice choice);

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
    mutable QSettings store_{"headroom", "studio"};
};

}  // namespace headroom
