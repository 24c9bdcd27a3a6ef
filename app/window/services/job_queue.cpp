#include "app/window/services/job_queue.h"

#include <QCoreApplication>
#include <QProcess>

#include <fmt/format.h>

#include "app/study/study_expand.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_edit.h"
#include "core/study/study_folder.h"
#include "core/study/study_lock.h"

namespace headroom {

namespace fs = std::filesystem;

fs::path headroom_program() {
    return fs::path(QCoreApplication::applicationDirPath().toStdString()) / "headroom";
}

void start_scheduler(const fs::path& study, int at_a_time) {
    if (StudyLock::holder(study)) return;
    const fs::path program = headroom_program();
    if (!fs::exists(program))
        throw EnvironmentError(fmt::format("{} is missing", program.string()),
                               "build the target headroom; it trains, this window only watches");
    QProcess process;  // startDetached puts it into a session of its own
    process.setProgram(QString::fromStdString(program.string()));
    QStringList arguments{"study", "run", QString::fromStdString(study.string())};
    if (at_a_time > 0) arguments << "--slots" << QString::number(at_a_time);
    process.setArguments(arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    const QString log = QString::fromStdString(StudyFolder{study}.queue_log().string());
    process.setStandardOutputFile(log, QIODevice::Append);
    process.setStandardErrorFile(log, QIODevice::Append);
    if (!process.startDetached())
        throw EnvironmentError(fmt::format("{} did not start: {}", program.string(),
                                           process.errorString().toStdString()),
                               "check that it is executable");
}

void queue_runs(const fs::path& study, const std::vector<LaunchRun>& runs, int at_a_time) {
    std::vector<StudyRun> planned;
    for (const LaunchRun& run : runs) {
        const fs::path folder = StudyFolder{study}.run(run.id).root;
        if (is_run({folder}))
            throw UserError(fmt::format("{} exists already", folder.string()),
                            "give the new runs another name");
        planned.push_back({run.id, variant_of_id(run.id, run.seed), run.job});
    }
    const fs::path file = StudyFolder{study}.plan();
    std::error_code ignored;
    const bool was_there = fs::exists(file, ignored);
    add_runs(study, planned);
    try {
        expand_study(load_study(file), study, [](const std::string&) {});
    } catch (...) {  // else the next try would find them planned already
        std::vector<std::string> ids;
        for (const StudyRun& run : planned) {
            ids.push_back(run.id);
            const RunFolder folder = StudyFolder{study}.run(run.id);
            if (!fs::exists(folder.log(), ignored)) fs::remove_all(folder.root, ignored);
        }
        remove_runs(study, ids);
        if (!was_there) fs::remove(file, ignored);
        throw;
    }
    start_scheduler(study, at_a_time);
}

void pause_run(const Run& run) {
    if (actions_in(effective_phase(run)).pause) write_request(run.folder, ControlRequest::kPause);
}

void resume_run(const Run& run) {
    if (actions_in(effective_phase(run)).resume) write_request(run.folder, ControlRequest::kRun);
}

void stop_run(const Run& run) {
    if (actions_in(effective_phase(run)).stop) write_request(run.folder, ControlRequest::kStop);
}

}  // namespace headroom
