#include "panels/study/published_points.h"

#include <algorithm>
#include <set>

#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// The study that a run lies in; "" for one that is nowhere yet.
fs::path folder_of_study(const RunPointer& run) {
    return run->folder.empty() ? fs::path() : study_of(run->folder);
}

/// One of the runs in the folder of the study that are of the variant; null if there is none.
RunPointer run_of(const std::string& variant, const Study& study, const fs::path& folder,
                  const std::vector<RunPointer>& runs) {
    for (const StudyRun& planned : study.runs) {
        if (planned.variant != variant) continue;
        const auto found = std::find_if(runs.begin(), runs.end(), [&](const RunPointer& run) {
            return run->folder.filename() == planned.id && folder_of_study(run) == folder;
        });
        if (found != runs.end()) return *found;
    }
    return nullptr;
}

}  // namespace

std::vector<PublishedPoint> published_points(const std::vector<RunPointer>& runs,
                                             const Measure& measure) {
    std::set<fs::path> folders;
    for (const RunPointer& run : runs)
        if (const fs::path folder = folder_of_study(run); !folder.empty()) folders.insert(folder);
    std::vector<PublishedPoint> points;
    for (const fs::path& folder : folders) {
        if (std::error_code ignored; !fs::exists(StudyFolder{folder}.plan(), ignored)) continue;
        const Study study = load_study(StudyFolder{folder}.plan());
        for (const PublishedValues& published : study.published) {
            if (published.measure != measure.name()) continue;
            for (const auto& [variant, value] : published.values)
                if (RunPointer run = run_of(variant, study, folder, runs))
                    points.push_back({published.source, value, std::move(run)});
        }
    }
    return points;
}

}  // namespace headroom
