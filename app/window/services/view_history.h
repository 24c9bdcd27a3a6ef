#pragma once

#include <QObject>
#include <QVariantMap>
#include <map>
#include <set>

class QTimer;

namespace headroom {

class Panel;
class StudySession;

/// What a panel keeps of itself, by key.
QVariantMap view_of(const Panel& panel);
/// Gives it back to the panel, which then shows the study anew.
void put_view(Panel& panel, const QVariantMap& view, const StudySession& session);

/// Notes what people change in the views, so that it can be taken back: options, ranges, zoom. UI
/// thread only.
class ViewHistory : public QObject {
    Q_OBJECT
  public:
    ViewHistory(StudySession& session, QObject* parent);

    /// Notes from now on what is changed in this panel.
    void follow(Panel* panel);

    /// Takes the panels as they are now: after somebody else has changed their settings.
    void forget();

  signals:
    /// Something changed there that the person should see.
    void page_asked(headroom::Panel* panel);

  private:
    /// Once the person stands still.
    void note_later(Panel* panel);
    void note_waiting();
    void note(Panel* panel, bool moved);
    void note_step(Panel* panel);
    void put(Panel* panel, const QVariantMap& view);

    StudySession& session_;
    std::map<Panel*, QVariantMap> last_;
    std::set<Panel*> waiting_;
    QTimer* still_;
};

}  // namespace headroom
