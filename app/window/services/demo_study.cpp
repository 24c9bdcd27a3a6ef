#include "app/window/services/demo_study.h"

#include <QStandardPaths>

#include <unistd.h>

#include "app/studio_process.h"
#include "core/base/error.h"

namespace headroom {

namespace fs = std::filesystem;

fs::path prepare_demo_study() {
    // build/release/bin/headroom-studio lies three folders below the source tree.
    const fs::path tree = (program_folder() / "../../..").lexically_normal();
    const fs::path source = tree / "resources/demo/study.json";
    std::error_code error;
    if (!fs::exists(source, error))
        throw EnvironmentError(source.string() + " is missing",
                               "the demo study comes with the source tree; open a study of yours");
    fs::path study = tree / "studies/demo";
    if (fs::exists(study / "study.json", error)) return study;
    if (access(tree.c_str(), W_OK) != 0)
        study =
            fs::path(
                QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
            "demo";
    fs::create_directories(study, error);
    fs::copy_file(source, study / "study.json", fs::copy_options::skip_existing, error);
    if (error)
        throw EnvironmentError(study.string() + " cannot be made: " + error.message(),
                               "open an empty folder of yours and copy study.json into it");
    return study;
}

}  // namespace headroom
