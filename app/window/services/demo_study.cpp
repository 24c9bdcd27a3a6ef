#include "app/window/services/demo_study.h"

#include <QStandardPaths>
#include <algorithm>

#include <unistd.h>

#include "app/program_files.h"
#include "core/base/error.h"
#include "core/study/study_folder.h"

namespace headroom {

namespace fs = std::filesystem;

fs::path prepare_demo_study() {
    const fs::path source = resource("demo/study.json");
    // In a build the demo study lies in the source tree, where ./run trains it.
    const ProgramFiles files = program_files();
    const fs::path tree = files.resources.parent_path();
    fs::path study = tree / "studies/demo";
    std::error_code error;
    if (!files.installed && fs::exists(StudyFolder{study}.plan(), error)) return study;
    if (files.installed || access(tree.c_str(), W_OK) != 0)
        study =
            fs::path(
                QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
            "demo";
    fs::create_directories(study, error);
    fs::copy_file(source, StudyFolder{study}.plan(), fs::copy_options::skip_existing, error);
    if (error)
        throw EnvironmentError(study.string() + " cannot be made: " + error.message(),
                               "open an empty folder of yours and copy study.json into it");
    return study;
}

bool is_demo_study(const StudySnapshot& study) {
    return study.name == "demo" &&
           std::any_of(study.runs.begin(), study.runs.end(), [](const RunPointer& run) {
               return run->id == "baseline" && run->job && run->job->data.train == "task:grammar";
           });
}

}  // namespace headroom
