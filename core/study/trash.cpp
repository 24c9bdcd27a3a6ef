#include "core/study/trash.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/open_file.h"
#include "core/base/printable.h"
#include "core/base/system_info.h"
#include "core/study/folder_lock.h"
#include "core/study/run_control.h"
#include "core/study/run_status.h"
#include "core/study/study.h"
#include "core/study/study_edit.h"
#include "core/study/study_folder.h"
#include "core/study/study_labels.h"
#include "core/study/study_restore.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// The paths of one entry.
struct Entry {
    fs::path root;
    fs::path runs() const { return root / "removed"; }
    fs::path before() const { return root / "study-before.json"; }
    fs::path after() const { return root / "study-after.json"; }
};

std::string compact(std::string iso) {
    std::erase_if(iso, [](char c) { return c == '-' || c == ':'; });
    std::replace(iso.begin(), iso.end(), 'T', '-');
    constexpr size_t kToTheSecond = 15;
    return iso.substr(0, kToTheSecond);
}

/// A folder of its own even where two are made within a second.
Entry new_entry(const fs::path& study_dir) {
    const FileDescriptor lock = lock_folder(study_dir);
    const fs::path trash = StudyFolder{study_dir}.trash();
    make_folder_inside(study_dir, trash);
    const std::string name = compact(iso_time_now());
    Entry entry{trash / name};
    for (int i = 2; fs::exists(entry.root); ++i) entry.root = trash / fmt::format("{}-{}", name, i);
    make_folder(entry.root);
    make_folder(entry.runs());
    return entry;
}

Entry existing_entry(const fs::path& study_dir, const std::string& name) {
    Entry entry{StudyFolder{study_dir}.trash() / name};
    if (!names_a_file(name) || !fs::is_directory(entry.root))
        throw UserError(fmt::format("the trash of {} has no {}", study_dir.string(), name),
                        "headroom study trash lists what it has");
    require_inside(study_dir, entry.root);
    return entry;
}

std::vector<std::string> folders_in(const fs::path& folder) {
    std::vector<std::string> names;
    for (const fs::path& entry : entries_of(folder)) names.push_back(entry.filename().string());
    return names;
}

std::set<std::string> ids_in(const fs::path& study_json) {
    std::set<std::string> ids;
    if (!fs::exists(study_json)) return ids;
    nlohmann::json document = load_json(study_json);
    document.erase("figures");  // imported runs that they name lie elsewhere by now
    for (const StudyRun& run : parse_study(document, study_json.string()).runs) ids.insert(run.id);
    return ids;
}

/// A log says how a run ended a little before its worker has gone.
void wait_for_the_end(const fs::path& run_dir) {
    constexpr int kMostLooks = 100;
    constexpr std::chrono::milliseconds kBetweenLooks(20);
    const bool has_ended = is_final(run_status(run_dir).phase);
    for (int looks = 0; has_ended && looks < kMostLooks && is_worker_alive(run_dir); ++looks)
        std::this_thread::sleep_for(kBetweenLooks);
}

/// Nobody begins to work on a run while it is moved.
RunLock hold(const fs::path& run_dir) {
    require_own_folder(run_dir);
    wait_for_the_end(run_dir);
    if (is_worker_alive(run_dir))
        throw UserError(fmt::format("{} is being trained", run_dir.string()),
                        "stop it, then remove it");
    return RunLock::acquire(run_dir);
}

/// Moves all or none.
void move_all(const std::vector<std::string>& names, const fs::path& from, const fs::path& to) {
    std::vector<std::string> moved;
    try {
        for (const std::string& name : names) {
            move_folder(from / name, to / name);
            moved.push_back(name);
        }
    } catch (const EnvironmentError&) {
        std::error_code ignored;
        for (const std::string& name : moved) fs::rename(to / name, from / name, ignored);
        throw;
    }
}

void remove_folder(const fs::path& folder) {
    std::error_code error;
    fs::remove_all(folder, error);
    if (error)
        throw EnvironmentError(
            fmt::format("{} could not be deleted: {}", folder.string(), error.message()),
            "delete it in a file manager");
}

uint64_t bytes_in(const fs::path& folder) {
    uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
         it.increment(error)) {
        std::error_code ignored;
        if (it->is_regular_file(ignored) && !it->is_symlink(ignored))
            bytes += it->file_size(ignored);
    }
    return bytes;
}

/// Labels stand by ids, and another run may be called so later. Those that cannot be read or
/// written stay where they are: the runs are gone all the same.
void take_labels(const fs::path& study_dir, const std::vector<std::string>& ids,
                 const Entry& entry) {
    try {
        change_labels(study_dir, [&](StudyLabels& labels) {
            StudyLabels taken;
            for (const std::string& id : ids)
                if (auto label = labels.runs.extract(id)) taken.runs.insert(std::move(label));
            change_labels(entry.root, [&](StudyLabels& kept) { kept = taken; });
        });
    } catch (const std::exception&) {
        return;
    }
}

/// What a person wrote since stays. UserError where there are some and the study's are broken.
void put_labels_back(const fs::path& study_dir, const Entry& entry) {
    const StudyLabels taken = read_labels(entry.root);
    if (taken.runs.empty()) return;
    change_labels(study_dir, [&](StudyLabels& labels) {
        for (const auto& [id, label] : taken.runs) {
            RunLabel automatic;
            automatic.color = labels.runs[id].color;
            if (labels.runs[id] == automatic) labels.runs[id] = label;
        }
    });
}

}  // namespace

std::string trash_runs(const fs::path& study_dir, const std::vector<std::string>& ids) {
    const StudyFolder study{study_dir};
    const std::set<std::string> planned = ids_in(study.plan());
    std::vector<std::string> folders;
    bool any = false;
    std::vector<RunLock> locks;
    for (const std::string& id : std::set<std::string>(ids.begin(), ids.end())) {
        if (!names_a_file(id, kLongestRunFolder))
            throw UserError(fmt::format("\"{}\" is no name that the trash can hold", printable(id)),
                            "give the folder below runs another one: letters, digits, dashes and "
                            "underscores, the first no dash");
        const fs::path run = study.run(id).root;
        any = any || planned.contains(id);
        if (!fs::is_directory(run)) continue;
        locks.push_back(hold(run));
        folders.push_back(id);
    }
    if (!any && folders.empty()) return "";
    const Entry entry = new_entry(study_dir);
    StudyTexts change;
    try {
        change = remove_runs(study_dir, ids);  // first: else a queue would train them anew
        if (!change.before.empty()) {
            write_file_atomically(entry.before(), change.before);
            write_file_atomically(entry.after(), change.after);
        }
        move_all(folders, study.runs(), entry.runs());
    } catch (...) {
        if (change.after != change.before) restore_study(study_dir, change);
        // What could not be moved back stays in the entry, from where it can be restored.
        std::error_code ignored;
        if (folders_in(entry.runs()).empty()) fs::remove_all(entry.root, ignored);
        throw;
    }
    take_labels(study_dir, ids, entry);  // last: a window gives runs that it sees a colour
    return entry.root.filename().string();
}

void restore_trash(const fs::path& study_dir, const std::string& name) {
    const Entry entry = existing_entry(study_dir, name);
    const StudyFolder study{study_dir};
    const std::vector<std::string> folders = folders_in(entry.runs());
    for (const std::string& id : folders)
        if (fs::exists(study.run(id).root))
            throw UserError(fmt::format("the study has another run {} by now", id),
                            "remove that one first");
    put_labels_back(study_dir, entry);  // first: with broken ones nothing is moved
    make_folder_inside(study_dir, study.runs());
    move_all(folders, entry.runs(), study.runs());
    try {
        if (fs::exists(entry.before()))
            restore_study(study_dir,
                          {load_json_text(entry.before()), load_json_text(entry.after())});
    } catch (...) {
        move_all(folders, study.runs(), entry.runs());
        throw;
    }
    remove_folder(entry.root);
}

std::set<std::string> ids_in_trash(const fs::path& study_dir) {
    std::set<std::string> ids;
    const fs::path trash = StudyFolder{study_dir}.trash();
    for (const std::string& name : folders_in(trash))
        for (const std::string& id : folders_in(Entry{trash / name}.runs())) ids.insert(id);
    return ids;
}

std::vector<TrashEntry> list_trash(const fs::path& study_dir) {
    std::vector<TrashEntry> entries;
    for (const std::string& name : folders_in(StudyFolder{study_dir}.trash())) {
        const Entry entry{StudyFolder{study_dir}.trash() / name};
        if (!fs::is_directory(entry.runs())) continue;
        const std::vector<std::string> folders = folders_in(entry.runs());
        std::set<std::string> runs(folders.begin(), folders.end());
        try {
            const std::set<std::string> left = ids_in(entry.after());
            for (const std::string& id : ids_in(entry.before()))
                if (!left.contains(id)) runs.insert(id);
        } catch (const UserError&) {  // somebody edited them: the folders are there all the same
        }
        entries.push_back({name, {runs.begin(), runs.end()}, bytes_in(entry.runs())});
    }
    std::reverse(entries.begin(), entries.end());
    return entries;
}

void delete_trash(const fs::path& study_dir, const std::string& name) {
    remove_folder(existing_entry(study_dir, name).root);
}

}  // namespace headroom
