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

/// What is known of one run, for reading: how it stands, what its model counts, every key of its
/// job. Pure.
std::vector<DetailSection> build_run_details(const RunEntry& run);

}  // namespace headroom
