#include "app/window/services/study_session.h"

#include <QDateTime>
#include <QSettings>
#include <algorithm>

namespace headroom {
namespace {

QString group_of(const std::filesystem::path& folder) {
    const QByteArray path = QByteArray::fromStdString(folder.string());
    return "studies/" + QString::fromLatin1(path.toBase64(QByteArray::Base64UrlEncoding));
}

template <class Ids>
QStringList to_list(const Ids& ids) {
    QStringList list;
    for (const std::string& id : ids) list << QString::fromStdString(id);
    return list;
}

}  // namespace

StudySession::StudySession(QObject* parent)
    : QObject(parent), watcher_(new StudyWatcher(this)), history_(new UndoHistory(this)) {
    connect(watcher_, &StudyWatcher::study_changed, this, &StudySession::take_study);
    connect(watcher_, &StudyWatcher::failed, this, &StudySession::failed);
}

void StudySession::open(const std::filesystem::path& folder) {
    close();
    watcher_->open(folder);
}

void StudySession::close() {
    watcher_->close();
    history_->clear();
    look_ = {};
    chosen_reference_.clear();
    table_ = {};
    emit opened();
}

QString StudySession::group() const {
    return group_of(look_.study->folder);
}

void StudySession::take_study(const StudyPointer& study) {
    const bool first = !look_.is_open();
    look_.study = study;
    if (!study->problem.empty()) emit failed(QString::fromStdString(study->problem));
    if (first) {
        recall();
        emit opened();
    }
    settle();
}

void StudySession::keep() const {
    QSettings store("headroom", "studio");
    store.beginGroup(group_of(look_.study->folder));
    store.setValue("hidden", to_list(look_.hidden));
    store.setValue("selected", to_list(look_.selected));
    store.setValue("reference", QString::fromStdString(chosen_reference_));
}

void StudySession::recall() {
    QSettings store("headroom", "studio");
    store.beginGroup(group_of(look_.study->folder));
    for (const QString& id : store.value("hidden").toStringList())
        look_.hidden.insert(id.toStdString());
    for (const QString& id : store.value("selected").toStringList())
        look_.selected.push_back(id.toStdString());
    chosen_reference_ = store.value("reference").toString().toStdString();
}

/// Ids of runs that are gone point to nothing; something is always focused and the reference.
void StudySession::settle() {
    if (!look_.is_open()) return;
    std::erase_if(look_.selected, [this](const std::string& id) { return !look_.run(id); });
    if (!look_.runs().empty()) {
        const std::string& first = look_.runs().front()->id;
        if (look_.selected.empty()) look_.selected = {first};
        look_.reference = look_.run(chosen_reference_) ? chosen_reference_ : first;
    }
    const std::string now = QDateTime::currentDateTime().toString(Qt::ISODate).toStdString();
    table_ = build_job_table(look_.runs(), {now, look_.study->scheduler_alive});
    emit changed();
}

void StudySession::select(const std::vector<std::string>& ids) {
    std::vector<std::string> known;
    for (const RunPointer& run : look_.runs())
        if (std::find(ids.begin(), ids.end(), run->id) != ids.end()) known.push_back(run->id);
    if (known == look_.selected || known.empty()) return;
    look_.selected = std::move(known);
    keep();
    settle();
}

/// What changes the one into the other, in words.
QString StudySession::text_of(const std::set<std::string>& before,
                              const std::set<std::string>& after) const {
    std::set<std::string> names;
    bool hides = false, shows = false;
    for (const RunPointer& run : look_.runs()) {
        if (before.contains(run->id) == after.contains(run->id)) continue;
        names.insert(run->name);
        (after.contains(run->id) ? hides : shows) = true;
    }
    const QString what = names.size() == 1 ? QString::fromStdString(*names.begin())
                                           : tr("%1 runs").arg(names.size());
    return (hides && shows ? tr("show and hide %1")
            : hides        ? tr("hide %1")
                           : tr("show %1"))
        .arg(what);
}

void StudySession::hide(const std::set<std::string>& ids) {
    if (ids == look_.hidden || !look_.is_open()) return;
    const std::set<std::string> before = look_.hidden;
    history_->add(
        text_of(before, ids), [=, this] { apply_hidden(before); },
        [=, this] { apply_hidden(ids); });
    apply_hidden(ids);
}

void StudySession::apply_hidden(const std::set<std::string>& ids) {
    look_.hidden = ids;
    keep();
    settle();
}

void StudySession::set_reference(const std::string& id) {
    const RunPointer run = look_.run(id);
    if (id == look_.reference || !run) return;
    const std::string before = look_.reference;
    history_->add(
        tr("%1 as the reference").arg(QString::fromStdString(run->name)),
        [=, this] { apply_reference(before); }, [=, this] { apply_reference(id); });
    apply_reference(id);
}

void StudySession::apply_reference(const std::string& id) {
    chosen_reference_ = id;
    keep();
    settle();
}

void StudySession::look_at(const std::set<std::string>& hidden, const std::string& reference,
                           const std::vector<std::string>& selected) {
    if (!look_.is_open()) return;
    look_.hidden = hidden;
    chosen_reference_ = reference;
    look_.selected = selected;
    keep();
    settle();
}

}  // namespace headroom
