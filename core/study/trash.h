#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace headroom {

/// Runs that were removed together. They lie in STUDY_DIR/.trash/NAME/removed/, beside the
/// study.json of before and of after and their labels; nothing that lists a study's runs looks
/// there.
struct TrashEntry {
    std::string name;               ///< when it was: "20261122-201500"
    std::vector<std::string> runs;  ///< ids, planned ones included, sorted
    uint64_t bytes = 0;             ///< of their files
};

/// Takes runs out of the study, with their folders, their labels and their places in study.json (as
/// remove_runs does), into a new entry of its trash; returns its name, "" where none of `ids` is
/// there. All or nothing. UserError for a run that a process works on and for an id that no run may
/// have; EnvironmentError where the folder cannot be written.
std::string trash_runs(const std::filesystem::path& study_dir, const std::vector<std::string>& ids);

/// Puts an entry back: the folders, their labels, and study.json as it was; where that has been
/// changed since, the runs and figures that it lacks, at its end. UserError where there is no such
/// entry, or a run of the same id by now.
void restore_trash(const std::filesystem::path& study_dir, const std::string& name);

/// The ids of the folders in the trash: while they can come back, no other run should be called so.
std::set<std::string> ids_in_trash(const std::filesystem::path& study_dir);

/// Newest first.
std::vector<TrashEntry> list_trash(const std::filesystem::path& study_dir);

/// Deletes an entry for good. UserError where there is none.
void delete_trash(const std::filesystem::path& study_dir, const std::string& name);

}  // namespace headroom
