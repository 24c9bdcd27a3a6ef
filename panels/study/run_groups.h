#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/config/job.h"
#include "core/study/run_status.h"

namespace headroom {

/// What a job says for telling runs apart.
struct JobIdentity {
    std::string name;  ///< "" if the job has none
    int64_t seed = 0;
    bool has_seed = false;  ///< none: a run of another tool
    /// Every other key by its dotted path, the value as JSON. Empty for a job that cannot be read:
    /// such a run is alone in its group.
    std::map<std::string, std::string> keys;
};

JobIdentity identify(const Job& job);
/// Of a job as text, such as a log carries; "" or garbage gives an empty identity.
JobIdentity identify(const std::string& job_json);

/// "skipv1-s2" with seed 2 is "skipv1"; so are "skipv1_seed2" and "skipv1 2".
std::string name_without_seed(const std::string& name, int64_t seed);

/// A run to be named.
struct NamedFolder {
    std::string folder;  ///< path
    std::string label;   ///< a person's name for it in place of the job's, or ""
    JobIdentity job;
    int progress = 0;  ///< see progress_of()
};

/// How far a run is, for the choice between runs of one seed: 0 not begun, 1 begun, 2 finished.
int progress_of(const RunStatus& status);

/// What a run is called among the runs that are shown together.
struct RunIdentity {
    std::string id;       ///< the folder's last name, with its parents where two would be the same
    std::string group;    ///< for people; equal exactly for runs of equal keys
    std::string variant;  ///< the group without what tells it from others of its name
    std::string name;     ///< for people: the group, with ", seed 2" where it has several runs here
    int64_t seed = 0;
    int shade = 0;         ///< place among the runs of its group
    bool repeats = false;  ///< a run of its group that is as far, or further, has the same seed
};

/// Names runs so that no two different jobs are ever called the same: groups of one name say what
/// they differ in ("skipv1 · lr 1e-3", "skipv1 · lr 10"). A job whose vocabulary is not known yet
/// counts as one of the vocabulary that its data will give it.
std::vector<RunIdentity> identify_runs(const std::vector<NamedFolder>& given);

/// Unix time of an ISO 8601 time such as 2025-01-31T12:00:00Z or …+01:00; 0 if it is not one.
double parse_iso_time(const std::string& text);
/// An ISO 8601 time in this machine's zone, without the zone; anything else as it is.
std::string local_iso_time(const std::string& text);

}  // namespace headroom
