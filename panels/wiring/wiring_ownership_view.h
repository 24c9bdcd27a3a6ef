#pragma once

#include <string>
#include <vector>

#include "panels/wiring/wiring_view.h"

namespace headroom {

/// Of a head that only its own layer reads; every layer that others read has a hue of its own.
inline constexpr int kOwnHue = -1;

/// Whose cache a head reads, for the picture coloured by owner.
struct HeadOwnership {
    bool keeps = false;    ///< decoding keeps something on its account; else the head costs nothing
    int hue = kOwnHue;     ///< of the owner
    int second = kOwnHue;  ///< of another owner that a weighted sum reads, too
    bool sums = false;     ///< it reads several
    bool reads_nothing = false;
};

struct WiringOwner {
    int layer = 0;
    int hue = 0;
    int64_t bytes_per_token = 0;  ///< of its heads that others read
    int readers = 0;              ///< other layers that read it
};

struct WiringOwnership {
    std::vector<std::vector<HeadOwnership>> keys, values;  ///< [n_layer][n_kv_head]
    std::vector<WiringOwner> owners;                       ///< that others read, by layer

    const HeadOwnership& head(KvTable lane, HeadId ref) const {
        return (lane == KvTable::kKeys
                    ? keys
                    : values)[static_cast<size_t>(ref.layer)][static_cast<size_t>(ref.head)];
    }
};

/// The marks of the picture by owner with their names, for its legend.
struct OwnerSample {
    HeadOwnership head;
    const char* name;
};
std::vector<OwnerSample> owner_legend(const WiringOwnership& ownership);

WiringOwnership build_ownership(const WiringView& view);

/// One line: which layers' caches others read, how many bytes that are, and how many read them.
std::string describe_owners(const WiringOwnership& ownership);

}  // namespace headroom
