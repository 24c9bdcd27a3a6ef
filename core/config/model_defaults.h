#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// Fills in everything that `given` (the model section of a file, each key checked by itself)
/// leaves open: base defaults, then the preset, then the architecture, then the given keys, and
/// last the defaults that follow from other keys (d_head = d_model / n_head, ...). An architecture
/// that comes with the preset gives way to the preset's own keys. Returns every model key but
/// `preset`. Throws UserError where a derived default does not exist, such as heads that do not
/// divide d_model.
nlohmann::json resolve_model_keys(const nlohmann::json& given, int64_t default_vocab_size);

}  // namespace headroom
