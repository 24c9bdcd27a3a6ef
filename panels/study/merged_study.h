#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "panels/study/study_snapshot.h"

namespace headroom {

/// Whether a run lies in the study's folder, not in one whose runs were added to it.
bool is_own_run(const StudySnapshot& study, const Run& run);

/// The runs of a study alone.
std::vector<RunPointer> own_runs(const StudySnapshot& study);

/// Puts runs of other studies behind those of a study. They have ids "STUDY/RUN", say in their
/// names where they are from, and wear colours that nobody before them has, from the end of the
/// palette, since those of own runs grow from its beginning; nothing is written anywhere. A run
/// that did not change keeps its pointer from one call to the next, and a group its colour: where
/// an own run takes that, too, the dashes of the palette's next round tell them apart. One thread.
class StudyMerger {
  public:
    /// `own` itself where there are no others.
    StudyPointer merge(const StudyPointer& own, std::span<const StudyPointer> others);

  private:
    using Key = std::pair<RunPointer, std::pair<std::string, int>>;  ///< with study's name, colour
    RunPointer renamed(const RunPointer& run, const std::string& study, int color);
    /// Fills colors_; `taken` are the own runs'.
    void color_groups(std::span<const StudyPointer> others, std::set<int> taken);

    std::map<Key, RunPointer> kept_, used_;
    /// By folder and group of the other studies.
    std::map<std::pair<std::string, std::string>, int> colors_;
    StudyPointer latest_, own_;
    std::vector<StudyPointer> others_;
};

}  // namespace headroom
