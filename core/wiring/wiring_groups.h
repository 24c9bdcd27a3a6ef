#pragma once

#include "core/wiring/wiring_edit.h"

namespace headroom {

/// The same wiring with another number of key/value heads, a divisor of n_head: each new head reads
/// what the head at its place read, from the new heads at the places of those; weights of sources
/// that become one are added. Refuses where learned weights would meet, and latents.
WiringEditResult with_kv_heads(const Wiring& wiring, int n_kv_head);

}  // namespace headroom
