#include "app/study/plan_follower.h"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "app/study/study_expand.h"
#include "core/base/file.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"

namespace headroom {

PlanFollower::PlanFollower(std::filesystem::path study_dir,
                           std::function<void(const std::string&)> say)
    : study_dir_(std::move(study_dir)), say_(std::move(say)) {}

void PlanFollower::update() {
    const bool first = !std::exchange(begun_, true);
    const std::filesystem::path file = StudyFolder{study_dir_}.plan();
    if (!file_.changed(file)) return;
    if (!std::filesystem::exists(file)) {
        if (first) restore_jobs(study_dir_, say_);
        return;
    }
    try {
        std::string text = read_text(file);
        if (text == taken_up_) return;
        taken_up_ = std::move(text);
        expand_study(load_study(file), study_dir_, say_);
    } catch (const std::exception& error) {  // the disk may be full, too
        if (first) throw;
        say_(fmt::format("goes on as it was planned: {}", error.what()));
    }
}

}  // namespace headroom
