#pragma once

#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/surgery/failed_assumption.h"

namespace headroom {

/// One of the four matrices of a layer's attention: W_Q, W_K, W_V and W_O (Graef: Q, K, V and P).
enum class AttentionMatrix { kQuery, kKey, kValue, kOutput };

const std::vector<AttentionMatrix>& attention_matrices();
/// "q", "k", "v" or "o": as on the command line and in the names of tensors.
std::string letter_of(AttentionMatrix matrix);
/// "W_Q", as formulas have it.
std::string symbol_of(AttentionMatrix matrix);
/// UserError naming --matrix for any other text.
AttentionMatrix parse_attention_matrix(const std::string& letter);

/// A matrix of one layer, counted from 0. With shared layers only layer 0 has its own.
struct LayerMatrix {
    int layer = 0;
    AttentionMatrix matrix = AttentionMatrix::kQuery;

    bool operator==(const LayerMatrix&) const = default;
};

/// "h.3.attn.q.weight".
std::string tensor_of(const LayerMatrix& which);
/// "W_Q of layer 3".
std::string shown(const LayerMatrix& which);

/// Whether the layer multiplies with such a matrix. Residual queries do, with I + W_Q; nonlinear
/// ones and identities do not.
bool has_matrix(const ModelConfig& model, const LayerMatrix& which);
/// Whether that map is the identity already.
bool is_identity(const ModelConfig& model, const LayerMatrix& which);
/// Why the matrix cannot become the identity whatever its numbers are: it is not there, or it is
/// not square. Empty where nothing is in the way.
FailedAssumption why_not_square(const ModelConfig& model, const LayerMatrix& which);

/// The model without that matrix; of a model with shared layers, in every layer.
void remove_matrix(ModelConfig& model, const LayerMatrix& which);

}  // namespace headroom
