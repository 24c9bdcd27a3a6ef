#include "app/window/services/study_session.h"

#include <QDateTime>
#include <algorithm>
#include <utility>

#include "app/window/studio_store.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

QString group_of(const std::filesystem::path& folder) {
    const QByteArray path = QByteArray::fromStdString(folder.string());
    return "studies/" + QString::fromLatin1(path.toBase64(QByteArray::Base64UrlEncoding));
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
    added_.clear();
    own_.reset();
    look_ = {};
    awaited_.clear();
    chosen_reference_.clear();
    table_ = {};
    emit opened();
}

QString StudySession::group() const {
    return group_of(look_.study->folder);
}

void StudySession::take_study(const StudyPointer& study) {
    const bool first = !look_.is_open();
    tell_problem(own_, study);
    own_ = study;
    if (!first) return merge();
    look_.study = study;
    recall();
    emit opened();
    set_added(stored_added());
}

void StudySession::tell_problem(const StudyPointer& before, const StudyPointer& now) {
    if (!now->problem.empty())
        emit failed(QString::fromStdString(now->problem));
    else if (before && !before->problem.empty())
        emit mended();
}

void StudySession::take_added(const std::filesystem::path& folder, const StudyPointer& study) {
    for (Added& each : added_) {
        if (each.folder != folder) continue;
        tell_problem(each.study, study);
        each.study = study;
    }
    merge();
}

/// The runs of all studies as those of one.
void StudySession::merge() {
    if (!own_) return;
    std::vector<StudyPointer> others;
    for (const Added& each : added_)
        if (each.study) others.push_back(each.study);
    look_.study = merger_.merge(own_, others);
    settle();
}

std::vector<std::filesystem::path> StudySession::added_studies() const {
    std::vector<std::filesystem::path> folders;
    for (const Added& each : added_) folders.push_back(each.folder);
    return folders;
}

/// Those that stay go on being watched.
void StudySession::set_added(const std::vector<std::filesystem::path>& folders) {
    std::vector<Added> before = std::move(added_);
    added_.clear();
    for (const std::filesystem::path& folder : folders) {
        const auto known = std::find_if(before.begin(), before.end(),
                                        [&](const Added& each) { return each.folder == folder; });
        if (known != before.end()) {
            added_.push_back(std::move(*known));
            before.erase(known);
            continue;
        }
        added_.push_back({folder, std::make_unique<StudyWatcher>(), nullptr});
        StudyWatcher* watcher = added_.back().watcher.get();
        connect(watcher, &StudyWatcher::study_changed, this,
                [=, this](const StudyPointer& study) { take_added(folder, study); });
        connect(watcher, &StudyWatcher::failed, this, &StudySession::failed);
        watcher->open(folder);
    }
    keep_added(folders);
    merge();
}

void StudySession::change_added(const std::vector<std::filesystem::path>& folders,
                                const QString& text) {
    const std::vector<std::filesystem::path> before = added_studies();
    history_->add(
        text, [=, this] { set_added(before); }, [=, this] { set_added(folders); });
    set_added(folders);
}

void StudySession::add_study(const std::filesystem::path& folder) {
    if (!look_.is_open()) return;
    std::vector<std::filesystem::path> folders = added_studies();
    if (folder == own_->folder ||
        std::find(folders.begin(), folders.end(), folder) != folders.end())
        return emit failed(tr("%1 is shown already").arg(QString::fromStdString(folder.string())));
    if (const std::string problem = added_study_problem(folder); !problem.empty())
        return emit failed(QString::fromStdString(problem));
    folders.push_back(folder);
    change_added(folders,
                 tr("add the runs of %1").arg(QString::fromStdString(folder.filename().string())));
}

void StudySession::remove_added(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> folders = added_studies();
    if (std::erase(folders, folder) > 0)
        change_added(
            folders,
            tr("take the runs of %1 away").arg(QString::fromStdString(folder.filename().string())));
}

void StudySession::keep() const {
    StudioStore store;
    store.beginGroup(group_of(look_.study->folder));
    store.setValue("hidden", to_list(look_.hidden));
    store.setValue("selected", to_list(look_.selected));
    store.setValue("reference", QString::fromStdString(chosen_reference_));
}

/// Those that are away for now stay in the list.
void StudySession::keep_added(const std::vector<std::filesystem::path>& folders) const {
    StudioStore store;
    store.beginGroup(group());
    QStringList added;
    for (const std::filesystem::path& folder : folders)
        added << QString::fromStdString(folder.string());
    for (const QString& folder : store.value("added").toStringList())
        if (!added.contains(folder) && !added_study_problem(folder.toStdString()).empty())
            added << folder;
    store.setValue("added", added);
}

void StudySession::recall() {
    StudioStore store;
    store.beginGroup(group_of(look_.study->folder));
    for (const QString& id : store.value("hidden").toStringList())
        look_.hidden.insert(id.toStdString());
    for (const QString& id : store.value("selected").toStringList())
        look_.selected.push_back(id.toStdString());
    chosen_reference_ = store.value("reference").toString().toStdString();
}

/// Those that are still there.
std::vector<std::filesystem::path> StudySession::stored_added() const {
    StudioStore store;
    store.beginGroup(group());
    std::vector<std::filesystem::path> added;
    for (const QString& folder : store.value("added").toStringList())
        if (added_study_problem(folder.toStdString()).empty())
            added.push_back(folder.toStdString());
    return added;
}

/// Ids of runs that are gone point to nothing; something is always focused and the reference.
void StudySession::settle() {
    if (!look_.is_open()) return;
    const auto is_there = [this](const std::string& id) { return look_.run(id) != nullptr; };
    if (!awaited_.empty() && std::all_of(awaited_.begin(), awaited_.end(), is_there)) {
        look_.selected = std::exchange(awaited_, {});
        keep();
    }
    std::erase_if(look_.selected, [&](const std::string& id) { return !is_there(id); });
    if (!look_.runs().empty()) {
        const std::string& first = look_.runs().front()->id;
        if (look_.selected.empty()) look_.selected = {first};
        look_.reference = look_.run(chosen_reference_) ? chosen_reference_ : first;
    }
    const std::string now = QDateTime::currentDateTime().toString(Qt::ISODate).toStdString();
    table_ = build_job_table(own_runs(*look_.study), {now, look_.study->scheduler_alive});
    emit changed();
}

void StudySession::select(const std::vector<std::string>& ids) {
    std::vector<std::string> known;
    for (const RunPointer& run : look_.runs())
        if (std::find(ids.begin(), ids.end(), run->id) != ids.end()) known.push_back(run->id);
    if (known.empty()) return;
    awaited_.clear();
    if (known == look_.selected) return;
    look_.selected = std::move(known);
    keep();
    settle();
}

void StudySession::select_when_there(const std::vector<std::string>& ids) {
    awaited_ = ids;
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
