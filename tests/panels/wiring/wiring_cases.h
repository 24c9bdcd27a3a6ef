#pragma once

#include "core/wiring/wiring.h"

namespace headroom {

/// Every head owns its key and value. Written out by hand so that the pictures' tests do not depend
/// on the engine's own builder.
inline Wiring own_wiring(int n_layer, int n_head, int n_kv_head) {
    Wiring wiring;
    wiring.n_layer = n_layer;
    wiring.n_head = n_head;
    wiring.n_kv_head = n_kv_head;
    for (int l = 0; l < n_layer; ++l) {
        std::vector<HeadSources> row;
        for (int g = 0; g < n_kv_head; ++g) row.push_back({{l, g}});
        wiring.keys.push_back(row);
        wiring.values.push_back(row);
    }
    wiring.own_key_heads.assign(n_layer, n_kv_head);
    wiring.own_value_heads.assign(n_layer, n_kv_head);
    return wiring;
}

/// SkipV1Former, ratio 1/2: above the first layer, the second half of the value heads reads it.
inline Wiring skipv1_wiring(int n_layer, int n_head) {
    Wiring wiring = own_wiring(n_layer, n_head, n_head);
    for (int l = 1; l < n_layer; ++l) {
        for (int g = n_head - n_head / 2; g < n_head; ++g) wiring.values[l][g] = {{0, g}};
        wiring.own_value_heads[l] = n_head - n_head / 2;
    }
    return wiring;
}

}  // namespace headroom
