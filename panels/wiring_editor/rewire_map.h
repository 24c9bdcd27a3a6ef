#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/wiring/head_id.h"

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

    /// Nats that the loss rises by; NaN where nothing was measured: sources above the reader.
    double change(KvTable table, HeadId reader, int source_layer) const;
};

/// UserError if the file is no such probe.
RewireMap read_rewire_map(const std::filesystem::path& file);

/// The mean of change() over those of `readers` that have this number of head; NaN where one of
/// them cannot read the layer, and where there is none.
double mean_change(const RewireMap& map, KvTable table, const std::vector<HeadId>& readers,
                   int head, int source_layer);

}  // namespace headroom
