#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// What a column of the run table says of a run: a number, or text.
struct RunValue {
    std::string text;  ///< as people read it; "" = nothing is known
    std::optional<double> number;
    std::string whole{};  ///< what `text` is short for, such as a path; "" where that is all

    /// Equal where the values are: short texts of different files may be the same.
    const std::string& identity() const { return whole.empty() ? text : whole; }
};

/// What follows from a job alone.
struct JobFacts {
    std::map<std::string, std::string> keys;  ///< dotted path to JSON, without seed and name
    std::optional<int64_t> params, params_active, kv_bytes_per_token, flops_per_token;
};

/// Runs with what can be asked of them by name. Counts are made once for each job.
class RunFacts {
  public:
    /// Takes over what was counted for the jobs that are still there.
    void set_runs(std::vector<RunPointer> runs);
    const std::vector<RunPointer>& runs() const { return runs_; }

    /// Full name of a column: a column of the table, a job key by its dotted path or its last part
    /// ("lr"), or a series of the log ("train/grad_norm", its last value). UserError with the
    /// nearest one for a word that is none of these.
    std::string find_column(const std::string& word) const;
    /// All of them: those of the table, then job keys, then series.
    std::vector<std::string> columns() const;
    /// Job keys that are not equal in all of `runs`.
    std::vector<std::string> differing_keys(const std::vector<RunPointer>& runs) const;

    /// REQUIRES: `column` is a full name.
    /// The value by which runs are put together. Seeds of one variant are of one value of a key,
    /// also where each begins with a file of its own.
    std::string group_identity(const Run& run, const std::string& column) const;
    /// REQUIRES: `column` is a full name.
    RunValue value(const Run& run, const std::string& column) const;

  private:
    const JobFacts* job_facts(const Run& run) const;

    std::vector<RunPointer> runs_;
    std::map<std::shared_ptr<const Job>, JobFacts> jobs_;
};

}  // namespace headroom
