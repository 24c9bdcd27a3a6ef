#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/study/study.h"

namespace headroom {

/// STUDY_DIR/study.json as a document that a program changes, its keys in the order of the file.
/// For the edits of core/study alone (study_edit.h, study_edit_figures.h, study_restore.h).

/// The text of a study.json before a change and after it, as one step; equal where nothing changed,
/// `before` "" where there was no file.
struct StudyTexts {
    std::string before, after;
};

/// Reads the document, lets `change` change it and writes it where that did; returns what stood in
/// the file then and what stands in it now. Processes that do so at once wait for each other. A
/// folder without the file gets one, which lists the runs that lie in it. UserError for a file that
/// is broken or a change that makes it so: then nothing is written. EnvironmentError where the
/// folder cannot be written.
StudyTexts change_study(const std::filesystem::path& study_dir,
                        const std::function<void(nlohmann::ordered_json&)>& change);

/// The list under `key`, made where there is none.
nlohmann::ordered_json& list_under(nlohmann::ordered_json& document, const char* key);

/// The object of a list whose `key` is `name`, or null.
nlohmann::ordered_json* find_entry(nlohmann::ordered_json& list, const char* key,
                                   const std::string& name);

/// The runs of a document, wherever the folder with those that it does not list is: its figures
/// may name them.
std::vector<StudyRun> runs_listed_in(nlohmann::json document);

}  // namespace headroom
