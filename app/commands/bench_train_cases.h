#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/job.h"

namespace headroom {

/// What `headroom bench train` was told to time; all empty: the shapes of our speed claims.
struct BenchTrainModel {
    std::string job, preset;
    std::vector<std::string> sets;
};

/// One line of the report.
struct BenchCase {
    std::string name;
    Job job;
};

/// UserError for a model that cannot be. The standard shapes are those of the kind of device, "cpu"
/// or "cuda".
std::vector<BenchCase> bench_train_cases(const BenchTrainModel& model, std::string_view device);

}  // namespace headroom
