#include "core/study/study_document.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/study/folder_lock.h"
#include "core/study/listed_runs.h"
#include "core/study/run_folder.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

/// A document for a folder that has runs, perhaps, but no study.json.
ordered_json first_document(const fs::path& study_dir) {
    ordered_json document = {{"schema", kStudySchema},
                             {"name", fs::absolute(study_dir).filename().string()}};
    ListedRuns list(document, study_dir);
    for (const RunFolder& run : list_runs(study_dir)) {
        try {
            list.adopt(run.root.filename().string());
        } catch (const UserError&) {
            continue;  // what cannot be read has no place in a plan
        }
    }
    return document;
}

}  // namespace

StudyTexts change_study(const fs::path& study_dir,
                        const std::function<void(ordered_json&)>& change) {
    const FileDescriptor lock = lock_folder(study_dir);
    const fs::path file = StudyFolder{study_dir}.plan();
    const bool exists = fs::exists(file);
    StudyTexts texts;
    if (exists) texts.before = texts.after = load_json_text(file);
    ordered_json document =
        exists ? parse_ordered_json(texts.before, file.string()) : first_document(study_dir);
    if (exists) parse_study(json(document), file.string());
    const ordered_json before = document;
    change(document);
    if (document.contains("runs") && document["runs"].empty()) document.erase("runs");
    if (exists && document == before) return texts;
    parse_study(json(document), file.string());
    texts.after = dump_text(document, 2) + "\n";
    write_file_atomically(file, texts.after);
    return texts;
}

ordered_json& list_under(ordered_json& document, const char* key) {
    if (!document.contains(key)) document[key] = ordered_json::array();
    return document[key];
}

ordered_json* find_entry(ordered_json& list, const char* key, const std::string& name) {
    for (ordered_json& entry : list)
        if (entry.is_object() && entry.value(key, "") == name) return &entry;
    return nullptr;
}

std::vector<StudyRun> runs_listed_in(json document) {
    document.erase("figures");
    return parse_study(document, "study.json").runs;
}

}  // namespace headroom
