#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/wiring/wiring.h"

namespace headroom {

/// The table as it stands in a job file under `model.wiring`:
///
///     { "keys":   [ LAYER, ... one per layer ],
///       "values": [ LAYER, ... ] }
///
/// LAYER is a list with one entry for each key/value head: the list of sources [layer, head] or
/// [layer, head, weight] that the head sums, weight 1 if not given; [] reads zeros. The weight may
/// be "lambda" or "1-lambda", the learned scalar of the reading layer (one for all its heads).
/// Layers and heads are 0-based. In place of the list, LAYER may be "own" (every head reads its own
/// layer) or a number K (every head reads the same head of layer K). "keys" or "values" may be left
/// out: then that table is what the keys of the model section make it (key_source, value_source).
/// Writing uses the lists only.
nlohmann::json to_json(const Wiring& wiring);

/// Reads the form above and checks it. Throws UserError naming the path, such as
/// `model.wiring.values[3][1]`.
/// `choice` makes a table that is left out.
Wiring parse_wiring(const nlohmann::json& table, int64_t n_layer, int64_t n_head, int64_t n_kv_head,
                    const WiringChoice& choice = {});

/// The same of a document that is a table, a model section with one, or a job with one. It has as
/// many key/value heads as the first layer that it lists, else `n_kv_head`.
Wiring parse_wiring_document(const nlohmann::json& document, int64_t n_layer, int64_t n_head,
                             int64_t n_kv_head, const WiringChoice& choice = {});

}  // namespace headroom
