#pragma once

#include <map>
#include <string>
#include <vector>

#include "panels/study/study_snapshot.h"

namespace headroom {

/// Something that happened to a study while nobody may have looked.
struct StudyNews {
    enum class Kind { kDiverged, kFailed, kQueueEnded };
    Kind kind = Kind::kQueueEnded;
    std::string text;  ///< one sentence
    std::string run;   ///< id of the run that it is about; "" = the study

    bool operator==(const StudyNews&) const = default;
};

/// Tells what is new in the snapshots of one study. What it is shown first is not news.
class StudyNewsReader {
  public:
    /// In the order of the runs, the end of the queue last.
    std::vector<StudyNews> read(const StudySnapshot& study);
    /// The next snapshot is of another study.
    void forget();

  private:
    bool knows_any_ = false, scheduler_ = false;
    bool met_at_work_ = false;                ///< the queue, when the study was first seen
    std::map<std::string, RunPhase> phases_;  ///< by id, as they were
    std::map<std::string, RunPhase> began_;   ///< the same, when the queue began
};

}  // namespace headroom
