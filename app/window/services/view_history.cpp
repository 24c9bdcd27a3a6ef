#include "app/window/services/view_history.h"

#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <utility>

#include "app/window/services/study_session.h"
#include "app/window/services/undo_history.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

/// Panels read and write stores of settings: one that is nobody's, and gone at the end.
class LooseStore {
  public:
    QSettings& settings() { return settings_; }
    ~LooseStore() { settings_.clear(); }

  private:
    QTemporaryDir folder_;
    QSettings settings_{folder_.filePath("view.ini"), QSettings::IniFormat};
};

/// "smoothing" for "loss/smoothing".
QString word_of(const QString& key) {
    return key.section('/', -1).replace('_', ' ');
}

QStringList different_keys(const QVariantMap& a, const QVariantMap& b) {
    QStringList keys;
    for (auto it = b.begin(); it != b.end(); ++it)
        if (a.value(it.key()) != it.value()) keys << it.key();
    for (auto it = a.begin(); it != a.end(); ++it)
        if (!b.contains(it.key())) keys << it.key();
    return keys;
}

}  // namespace

QVariantMap view_of(const Panel& panel) {
    LooseStore store;
    panel.save_view(store.settings());
    QVariantMap view;
    for (const QString& key : store.settings().allKeys())
        view.insert(key, store.settings().value(key));
    return view;
}

void put_view(Panel& panel, const QVariantMap& view, const StudySession& session) {
    LooseStore store;
    for (auto it = view.begin(); it != view.end(); ++it)
        store.settings().setValue(it.key(), it.value());
    panel.restore_view(store.settings());
    panel.set_study(session.look());
}

ViewHistory::ViewHistory(StudySession& session, QObject* parent)
    : QObject(parent), session_(session), still_(new QTimer(this)) {
    constexpr int kStillMs = 300;
    still_->setSingleShot(true);
    still_->setInterval(kStillMs);
    connect(still_, &QTimer::timeout, this, &ViewHistory::note_waiting);
    connect(&session.history(), &UndoHistory::asked, this, &ViewHistory::note_waiting);
    connect(&session, &StudySession::opened, this, &ViewHistory::forget);
}

void ViewHistory::follow(Panel* panel) {
    last_[panel] = view_of(*panel);
    connect(panel, &Panel::settings_changed, this, [=, this] { note(panel, false); });
    connect(panel, &Panel::moved, this, [=, this] { note_later(panel); });
    connect(panel, &Panel::stepped, this, [=, this] { note_step(panel); });
}

void ViewHistory::forget() {
    waiting_.clear();
    for (auto& [panel, view] : last_) view = view_of(*panel);
}

void ViewHistory::note_later(Panel* panel) {
    waiting_.insert(panel);
    still_->start();
}

void ViewHistory::note_waiting() {
    for (Panel* panel : std::exchange(waiting_, {})) note(panel, true);
}

void ViewHistory::note_step(Panel* panel) {
    session_.history().add(
        tr("change in %1").arg(panel->title()),
        [=, this] {
            emit page_asked(panel);
            panel->undo();
        },
        [=, this] {
            emit page_asked(panel);
            panel->redo();
        });
}

void ViewHistory::note(Panel* panel, bool moved) {
    const QVariantMap before = last_[panel], now = view_of(*panel);
    if (before == now || !session_.look().is_open()) return;
    last_[panel] = now;
    const QStringList keys = different_keys(before, now);
    const QString what = moved              ? tr("zoom of %1").arg(panel->title())
                         : keys.size() == 1 ? panel->title() + ": " + word_of(keys.front())
                                            : tr("options of %1").arg(panel->title());
    session_.history().add(
        what, [=, this] { put(panel, before); }, [=, this] { put(panel, now); },
        panel->name() + "|" + keys.join('|'));
}

void ViewHistory::put(Panel* panel, const QVariantMap& view) {
    emit page_asked(panel);
    waiting_.erase(panel);
    put_view(*panel, view, session_);
    last_[panel] = view_of(*panel);
    emit panel->settings_changed();  // so that they are kept
}

}  // namespace headroom
