#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/config/job.h"

namespace headroom {

/// Reads a job document. Defaults are filled in the order base, preset, architecture, given keys.
/// Throws UserError naming `source` ("" names nothing), the key's path and, for a misspelling, the
/// nearest known key.
/// model.vocab_size is 0, "from the data", unless the document or its preset says otherwise.
Job parse_job(const nlohmann::json& document, const std::string& source);

/// The job whose model is a preset and nothing else. UserError where there is none of that name, or
/// it does not stand by itself.
Job preset_job(const std::string& preset);

/// The job written out in full: reading it back gives the same job. Left out are `model.preset`,
/// and `model.wiring` unless the wiring was given as a table.
nlohmann::json to_json(const Job& job);

/// Reads a model section alone, such as the `config` of a checkpoint: any subset of the keys.
/// model.vocab_size defaults to 50304.
ModelConfig parse_model_config(const nlohmann::json& model, const std::string& source);

/// The model section written out in full.
nlohmann::json to_json(const ModelConfig& config);

/// Rebuilds what follows from the other members after a change by code: the wiring table (unless it
/// is the user's own). Throws UserError as parse_job does.
void resolve_wiring(ModelConfig& config);

}  // namespace headroom
