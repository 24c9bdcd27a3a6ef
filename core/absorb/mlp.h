#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/checkpoint/safetensors.h"
#include "core/config/model_config.h"
#include "core/linalg/matrix.h"

namespace headroom {

/// A single-hidden-layer MLP with a linear map around it, row vectors:
/// y = act(x up + up_bias) down + down_bias + x skip, or (act(x gate) * (x up)) down + x skip.
/// Neuron i is column i of `up` (w_i of Mijoski & Karbevski 2026, arXiv:2604.23705) and row i of
/// `down` (their column i of W_down).
struct Mlp {
    MlpKind kind = MlpKind::kGelu;
    Matrix up;                                          ///< [d, f]
    Matrix down;                                        ///< [f, d]
    Matrix gate;                                        ///< [d, f] of gated kinds, else empty
    Matrix skip;                                        ///< [d, d]; empty: none
    std::vector<double> up_bias, gate_bias, down_bias;  ///< [f], [f], [d]; empty: none
    StoredType stored = StoredType::kF64;               ///< the coarsest type of its tensors

    int64_t d_model() const { return up.rows; }
    int64_t d_ff() const { return up.cols; }
    bool gated() const { return is_gated(kind); }
};

/// "gelu", "relu", "swiglu", …: as in model.mlp. UserError naming the nearest.
MlpKind parse_mlp_kind(const std::string& name);

/// The gated kind whose gate is `act`: gelu -> geglu, silu -> swiglu, relu -> reglu.
MlpKind gated_kind(MlpKind act);

/// Reads the tensors `up`, `down`, and where they are there `gate`, `skip` (else it is the
/// identity), `up_bias`, `gate_bias`, `down_bias`. `kind` is the activation's name; with a `gate`
/// "silu" and "swiglu" mean the same. UserError naming the file and the tensor that is missing, has
/// another shape, is not finite or does not belong.
Mlp read_mlp(const std::filesystem::path& path, MlpKind kind);

/// The tensor `skip` [d, d] alone.
Matrix read_skip(const std::filesystem::path& path, int64_t d_model);

/// Writes what read_mlp reads, atomically, in float64 or the type given.
void write_mlp(const std::filesystem::path& path, const Mlp& mlp, StoredType type);

/// y [n, d] of rows x [n, d], with the skip or without it.
Matrix mlp_forward(const Mlp& mlp, const Matrix& x);

}  // namespace headroom
