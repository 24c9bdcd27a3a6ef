#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"

namespace headroom {

/// A model that a command was given, and how it is called in the answer.
struct ModelSource {
    std::string title;  ///< the preset, or the job's name
    Job job;
    bool preset_alone = false;  ///< no data of its own that could tell the vocabulary
    std::string vocab_from;     ///< where the vocabulary is from, "" if it was given

    /// The job as the reader was given it, with `sets` applied.
    static ModelSource read(const std::string& preset, const std::string& job_file,
                            const std::vector<std::string>& sets, nlohmann::json& document);
    /// The model of a checkpoint, ours or another tool's.
    static ModelSource read_checkpoint(const std::string& path,
                                       const std::vector<std::string>& sets,
                                       nlohmann::json& document);
    /// A preset's name, a job file or a checkpoint: what --against and --match take. `option` names
    /// it in errors.
    static ModelSource read_either(const std::string& name, const std::string& option);
};

/// Fills in the vocabularies that were not given. A preset has no data to ask: beside another model
/// it takes that one's vocabulary, alone 256. UserError if a job's data do not open.
void resolve_vocabularies(ModelSource& model, ModelSource* other = nullptr);

}  // namespace headroom
