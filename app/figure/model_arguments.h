#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/config/job.h"

namespace headroom {

/// A model and how it is called.
struct NamedModel {
    std::string name;
    ModelConfig model;                 ///< vocab_size 0 where it cannot be told
    std::shared_ptr<const Job> job{};  ///< how it trains; its model is the same
    std::optional<int> color{};        ///< of a run that a study knows, as in every view
};

/// The models that arguments name, in their order: presets, job files, then the runs of run folders
/// and study folders, of equal ones (such as several seeds) the first. `sets` apply to presets and
/// job files.
/// UserError for what is none of these, and where nothing is named.
std::vector<NamedModel> read_models(const std::vector<std::string>& presets,
                                    const std::vector<std::string>& job_files,
                                    const std::vector<std::string>& run_folders,
                                    const std::vector<std::string>& sets);

}  // namespace headroom
