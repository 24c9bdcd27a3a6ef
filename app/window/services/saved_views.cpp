#include "app/window/services/saved_views.h"

#include <QSettings>
#include <algorithm>

#include "app/window/services/study_session.h"
#include "app/window/services/undo_history.h"
#include "app/window/services/view_history.h"
#include "app/window/shell/workspace.h"
#include "app/window/studio_store.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

QString key_of(const QString& name) {
    return QString::fromLatin1(name.toUtf8().toBase64(QByteArray::Base64UrlEncoding));
}

QString name_of(const QString& key) {
    return QString::fromUtf8(QByteArray::fromBase64(key.toLatin1(), QByteArray::Base64UrlEncoding));
}

/// The views of one study in the settings of the desktop.
class Store {
  public:
    explicit Store(const StudySession& session) {
        settings_.beginGroup(session.group() + "/views");
    }
    QSettings* operator->() { return &settings_; }

  private:
    StudioStore settings_;
};

std::vector<std::string> ids_of(const QVariant& list) {
    std::vector<std::string> ids;
    for (const QString& id : list.toStringList()) ids.push_back(id.toStdString());
    return ids;
}

}  // namespace

SavedViews::SavedViews(StudySession& session, Workspace& workspace, ViewHistory& history,
                       QObject* parent)
    : QObject(parent), session_(session), workspace_(workspace), history_(history) {
    connect(&session, &StudySession::opened, this, &SavedViews::changed);
}

QStringList SavedViews::names() const {
    if (!session_.look().is_open()) return {};
    Store store(session_);
    QStringList names;
    for (const QString& key : store->childKeys()) names << name_of(key);
    names.sort(Qt::CaseInsensitive);
    return names;
}

QString SavedViews::suggested_name() const {
    const QString title = workspace_.active()->title();
    const QStringList taken = names();
    QString name = title;
    for (int n = 2; taken.contains(name); ++n) name = QString("%1 %2").arg(title).arg(n);
    return name;
}

/// Of the runs that there are: those that come later are no part of it.
QVariantMap SavedViews::view_now() const {
    const StudyLook& look = session_.look();
    std::vector<std::string> shown, hidden;
    for (const RunPointer& run : look.runs())
        (look.hidden.contains(run->id) ? hidden : shown).push_back(run->id);
    QVariantMap view{{"shown", to_list(shown)},
                     {"hidden", to_list(hidden)},
                     {"reference", QString::fromStdString(look.reference)},
                     {"selected", to_list(look.selected)},
                     {"page", workspace_.main_page()->name()},
                     {"options", view_of(*workspace_.main_page())}};
    if (const Panel* beside = workspace_.page_beside()) {
        view["beside"] = beside->name();
        view["beside_options"] = view_of(*beside);
    }
    return view;
}

void SavedViews::put(const QVariantMap& view) {
    std::set<std::string> hidden = session_.look().hidden;  // and so it stays of later runs
    if (!view.contains("hidden"))                           // as views were kept before
        for (const RunPointer& run : session_.look().runs()) hidden.insert(run->id);
    for (const std::string& id : ids_of(view.value("hidden"))) hidden.insert(id);
    for (const std::string& id : ids_of(view.value("shown"))) hidden.erase(id);
    session_.look_at(hidden, view.value("reference").toString().toStdString(),
                     ids_of(view.value("selected")));
    Panel* page = workspace_.find(view.value("page").toString());
    Panel* beside = workspace_.find(view.value("beside").toString());
    if (page) workspace_.show_pages(page, beside);
    if (page) put_view(*page, view.value("options").toMap(), session_);
    if (beside) put_view(*beside, view.value("beside_options").toMap(), session_);
    history_.forget();
}

QVariantMap SavedViews::stored(const QString& name) const {
    Store store(session_);
    return store->value(key_of(name)).toMap();
}

void SavedViews::store(const QString& name, const QVariantMap& view) {
    if (!session_.look().is_open()) return;
    {
        Store store(session_);
        if (view.isEmpty())
            store->remove(key_of(name));
        else
            store->setValue(key_of(name), view);
    }
    emit changed();
}

void SavedViews::replace(const QString& name, const QVariantMap& view, const QString& text) {
    const QVariantMap before = stored(name);
    session_.history().add(
        text, [=, this] { store(name, before); }, [=, this] { store(name, view); });
    store(name, view);
}

void SavedViews::save(const QString& name) {
    if (!session_.look().is_open() || name.trimmed().isEmpty()) return;
    replace(name.trimmed(), view_now(), tr("save the view %1").arg(name.trimmed()));
    emit said(
        tr("The view %1 is saved; the palette and View ▸ Saved views have it").arg(name.trimmed()));
}

void SavedViews::remove(const QString& name) {
    if (!stored(name).isEmpty()) replace(name, {}, tr("remove the view %1").arg(name));
}

void SavedViews::show(const QString& name) {
    const QVariantMap view = stored(name);
    if (view.isEmpty()) return;
    const QVariantMap before = view_now();
    session_.history().add(
        tr("view %1").arg(name), [=, this] { put(before); }, [=, this] { put(view); });
    put(view);
}

}  // namespace headroom
