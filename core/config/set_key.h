#pragma once

#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// Applies one `--set` assignment, "model.n_layer=6", to a job document that is not parsed yet
/// (null is an empty one).
/// VALUE is read as the key's type asks: text needs no quotes, objects are JSON. Throws UserError
/// for an unknown key (with the nearest known one) or a value of the wrong type.
///
/// In a document that is written out in full, keys that stand at what the other keys imply follow
/// the change: with `model.query=identity` on such a file, attn_scale is halved as in a new file.
/// Keys that a person wrote into a partial file stay as they are.
void apply_set(nlohmann::json& document, const std::string& assignment);

/// apply_set for each in turn.
void apply_sets(nlohmann::json& document, std::span<const std::string> assignments);

}  // namespace headroom
