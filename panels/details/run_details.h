#pragma once

#include <string>
#include <vector>

#include "panels/jobs/job_table.h"

namespace headroom {

struct DetailLine {
    std::string name;
    std::string value;

    bool operator==(const DetailLine&) const = default;
};

struct DetailSection {
    std::string title;
    std::vector<DetailLine> lines;

    bool operator==(const DetailSection&) const = default;
};

/// Parameters, FLOPs over `seq_len` tokens and cache bytes; those that need a vocabulary are left
/// out while it is not known.
DetailSection build_counts(const ModelConfig& model, int64_t seq_len);

/// Every key of the job in the sections of the schema, spelled as in the job file.
std::vector<DetailSection> build_job_keys(const Job& job);

/// What is known of one run, for reading: how it stands, what its model counts, every key of its
/// job. Pure.
std::vector<DetailSection> build_run_details(const Run& run);

}  // namespace headroom
