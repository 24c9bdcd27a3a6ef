#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/study/wiring_search.h"

namespace headroom {

/// A search over 6 layers of 4 heads, with `section` laid over its section.
inline WiringSearch small_search(const nlohmann::json& section, int n_layer = 6, int n_head = 4) {
    nlohmann::json document = {
        {"schema", "headroom-study/1"},
        {"name", "search"},
        {"seeds", {1, 2, 3}},
        {"job",
         {{"model",
           {{"n_layer", n_layer},
            {"n_head", n_head},
            {"d_model", 16 * n_head},
            {"vocab_size", 256}}},
          {"train", {{"steps", 400}, {"warmup_steps", 10}, {"eval_every", 50}}}}},
        {"search", {{"seed", 7}, {"rungs", {100, 200}}}}};
    document["search"].update(section);
    return *parse_search(document);
}

}  // namespace headroom
