#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/wiring/head_id.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// What `headroom probe rewire` measured of a trained model, without training it any further: the
/// loss when one head alone reads what another layer reads at its number.
struct RewireMap {
    std::string run;    ///< its name
    int64_t step = -1;  ///< of training, -1 = unknown
    int n_layer = 0;
    int n_kv_head = 0;
    int64_t sequences = 0, seq_len = 0;  ///< measured on, as the losses are; 0 = unknown
    double loss = 0;                     ///< as the model is, nats per token
    std::vector<double> keys, values;    ///< [n_layer, n_kv_head, n_layer]: reader, head, source

    /// Nats that the loss rises by; NaN where nothing was measured: sources above the reader, and
    /// the own head of a reader that has none.
    double change(KvTable table, HeadId reader, int source_layer) const;
};

/// The layer whose head of its number a head reads, and nothing besides.
std::optional<int> layer_read(const Wiring& wiring, KvTable table, HeadId reader);

/// Leaves out what `trained` has no weights for: at a head's own layer the probe notes the loss as
/// it is, also of a head that reads another layer.
void leave_out_missing_heads(RewireMap& map, const Wiring& trained);

/// Of a probe file, without its model's missing heads. UserError if the file is no such probe.
RewireMap read_rewire_map(const std::filesystem::path& file);

/// The mean of change() over those of `readers` that have this number of head; NaN where one of
/// them cannot read the layer, and where there is none.
double mean_change(const RewireMap& map, KvTable table, const std::vector<HeadId>& readers,
                   int head, int source_layer);

}  // namespace headroom
