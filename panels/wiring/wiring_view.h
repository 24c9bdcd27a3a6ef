#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "core/config/per_layer.h"
#include "core/wiring/head_id.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// What one head of the wiring costs, for the savings that the canvas tells.
struct WiringCosts {
    int64_t cache_bytes_per_head = 0;  ///< of one key (or value) of one token: d_head numbers
    /// Columns of W_K that belong to one head; 0 in layers without such a matrix.
    PerLayer<int64_t> params_per_key_head, params_per_value_head;
};

/// `cache_dtype` is the type in which decoding keeps keys and values.
WiringCosts wiring_costs(const ModelConfig& model, DType cache_dtype);

/// kOwn: reads exactly what its layer projects for it. kReused: reads other heads only.
/// kMixed: a weighted sum that includes its own. kNone: reads nothing (SkipV0).
enum class HeadRole { kOwn, kReused, kMixed, kNone };

/// One key or value head of one layer.
struct WiringCell {
    HeadRole role = HeadRole::kNone;
    bool projected = false;       ///< the layer projects this head itself
    HeadSources sources;          ///< what it reads
    std::vector<HeadId> readers;  ///< who else reads what this layer projects for this head
};

/// The edges of all heads of one column that read one source, drawn as a single line past the
/// layers in between with a tap at each reader.
struct WiringBus {
    HeadId source;
    int column = 0;            ///< key/value head of the readers
    std::vector<int> readers;  ///< their layers, ascending, none above the source's
};

struct WiringLane {
    KvTable table = KvTable::kKeys;
    std::vector<std::vector<WiringCell>> cells;  ///< [n_layer][n_kv_head]
    std::vector<WiringBus> buses;
    int projected_heads = 0;  ///< over all layers; as many are cached
    int reused_heads = 0;     ///< heads that read another layer's projection only
    int mixed_heads = 0;      ///< heads that read a sum of their own and others
};

/// What a layer keeps where heads are made of a latent (MLA): their keys and values are not stored.
struct WiringLatent {
    int64_t bytes_per_token = 0;  ///< own coordinates and the rotary key
    int64_t shared = 0;           ///< coordinates that it reads from `source`
    int source = 0;
};

/// The wiring of one model as a picture: pure data, no toolkit.
struct WiringView {
    std::string title;
    std::string empty_text;  ///< why there is no picture; "": no model was given
    int n_layer = 0;
    int n_head = 0;
    int n_kv_head = 0;
    WiringLane keys;
    WiringLane values;
    WiringCosts costs;
    std::vector<WiringLatent> latents;  ///< by layer; empty but for latent attention
    int64_t cache_bytes_per_token = 0;
    std::string cache_dtype;        ///< "bfloat16"; "" where the costs were given as bytes
    int64_t cache_bytes_saved = 0;  ///< against every head of every layer owning its key and value
    int64_t params_saved = 0;       ///< projections that do not exist for the same reason

    const WiringLane& lane(KvTable which) const { return which == KvTable::kKeys ? keys : values; }
    bool empty() const { return n_layer == 0; }
};

/// Tables of any shape are accepted; sources that point outside the table are left out of the
/// picture (core's check_wiring refuses such a table long before it comes here).
WiringView build_wiring_view(const Wiring& wiring, const WiringCosts& costs, std::string title);

/// The same of a model, with what decoding really keeps: latents in place of heads (MLA), nothing
/// for an encoder.
WiringView build_wiring_view(const ModelConfig& model, DType cache_dtype, std::string title);

/// The query heads [first, last] that read key/value head `kv_head`.
struct HeadRange {
    int first = 0;
    int last = 0;
};
HeadRange query_heads(int kv_head, int n_head, int n_kv_head);

/// The read-out for one head: what it reads, who reads it, what that saves. One sentence a line.
std::vector<std::string> describe_head(const WiringView& view, KvTable lane, HeadId head);

/// What a mark is called in a legend: "own", "reused", "sum of both", "reads nothing".
const char* name_of(HeadRole role);
/// What stands in a head's mark: the layer that it reads, or how many read it; "" for neither.
std::string cell_text(const WiringCell& cell);

/// One line over the whole picture, such as "8 of 48 value heads reused · cache 6,144 B …".
std::string describe_total(const WiringView& view);

}  // namespace headroom
