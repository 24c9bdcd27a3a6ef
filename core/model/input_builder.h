#pragma once

#include "core/model/forward_emitter.h"
#include "core/model/parameter_list.h"

namespace headroom {

/// What makes a residual stream of a batch. Of tokens the embedding of each and, where positions
/// are learned, that of its place. Of images a row for each patch, by one linear map, behind the
/// class token, each with its place (Dosovitskiy et al. 2020, arXiv:2010.11929, equation 1).
class InputBuilder {
  public:
    static void add_parameters(ParameterList& list);
    /// What a batch must hold for it: "tokens", int32 [batch_size, seq_len]; or "patches", float32
    /// [batch_size, n_patch, patch_width]. Patches come row by row; in each all of red, then green,
    /// then blue, row by row, from -1 (dark) to 1: as convolution weights [d_model, 3, patch_size,
    /// patch_size] lie, so that patch.weight is those flattened and transposed.
    static ValueId add_input(Graph& graph, const ModelConfig& model, int64_t batch_size,
                             int64_t seq_len);

    explicit InputBuilder(ForwardEmitter& emit) : emit_(emit) {}

    /// `input`: of add_input. Returns the stream before the first block, (batch_size, seq_len,
    /// d_model).
    ValueId build(ValueId input);

  private:
    ValueId embed(ValueId tokens);
    ValueId place(ValueId patches);

    ForwardEmitter& emit_;
};

}  // namespace headroom
