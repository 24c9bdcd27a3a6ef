#pragma once

#include <QObject>
#include <QStringList>
#include <QVariantMap>

namespace headroom {

class StudySession;
class ViewHistory;
class Workspace;

/// How a person looked at a study, by names that the person gave: the page or the two beside each
/// other with their options, axes and ranges, the runs that were shown, the reference. Kept with
/// the study's session, in the desktop's settings. UI thread only.
class SavedViews : public QObject {
    Q_OBJECT
  public:
    SavedViews(StudySession& session, Workspace& workspace, ViewHistory& history, QObject* parent);

    /// Of the open study, in the order of the alphabet.
    QStringList names() const;
    /// A name for what is looked at now that no view has.
    QString suggested_name() const;
    /// Keeps what is looked at now, in the place of a view of that name.
    void save(const QString& name);
    /// Looks at it again; what was looked at before comes back with undo.
    void show(const QString& name);
    void remove(const QString& name);

  signals:
    /// Other names, or another study.
    void changed();
    void said(const QString& message);

  private:
    QVariantMap view_now() const;
    void put(const QVariantMap& view);
    QVariantMap stored(const QString& name) const;
    /// An empty one takes it away.
    void store(const QString& name, const QVariantMap& view);
    void replace(const QString& name, const QVariantMap& view, const QString& text);

    StudySession& session_;
    Workspace& workspace_;
    ViewHistory& history_;
};

}  // namespace headroom
