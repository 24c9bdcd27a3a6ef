#pragma once

#include "core/config/job.h"

namespace headroom {

/// A job small enough for finite differences: 2 layers, 2 heads, d_model 8, vocab_size 11.
inline Job tiny_job(const WiringChoice& wiring = {}) {
    Job job;
    job.precision = DType::kF64;
    ModelConfig& model = job.model;
    model.n_layer = 3;
    model.n_head = model.n_kv_head = 2;
    model.d_model = 8;
    model.d_head = 4;
    model.d_ff = 12;
    model.vocab_size = 11;
    model.block_size = 6;
    model.attn_scale = 0.5;
    model.wiring_choice = wiring;
    model.wiring = build_wiring(wiring, 3, 2, 2);
    job.train.batch_size = 2;
    job.train.seq_len = 5;
    return job;
}

}  // namespace headroom
