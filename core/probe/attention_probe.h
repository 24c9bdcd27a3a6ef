#pragma once

#include <cstdint>
#include <functional>

#include "core/log/array_file.h"
#include "core/probe/probe_pass.h"

namespace headroom {

struct AttentionRecordOptions {
    bool logits = false;        ///< the scores before the softmax, too
    DType dtype = DType::kF32;  ///< of the maps: kF32 or kF64; they are computed in float64
    std::function<void(double)> progress = {};  ///< called with the share that is done
};

/// Writes the group /attention of a record (core/probe/README.md): the maps of all heads over row
/// `b` of the pass, with their levels of detail. Memory is a strip of 256 queries, whatever the
/// length. REQUIRES: a tap on the attention of every layer.
void write_attention_record(ArrayFileWriter& file, const ProbePass& pass, int64_t b,
                            const AttentionRecordOptions& options = {});

/// Writes the picture of row `b` of a batch of images beside its maps.
void write_attention_picture(ArrayFileWriter& file, const Batch& images, int64_t b);

}  // namespace headroom
