#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/probe/loss_pass.h"

namespace headroom {

/// A model whose every key and value head can be told to read what another layer reads at its
/// number, between passes and without building anything anew: the loss of many wirings of the same
/// weights. What a layer does not project itself is what its own sources give; keys of another
/// layer come with its rotation and QK-norm.
class SourceChoice {
  public:
    /// The keys, or the values, of all layers.
    struct Table {
        /// Where a head lies that an attention reads.
        struct Place {
            ValueId tensor = kNoValue;  ///< kNoValue: it is zero
            int64_t first = 0;          ///< column
        };
        std::vector<std::vector<Place>> read;  ///< [layer][head], as the model has them
        std::vector<ValueId> sources;          ///< inputs [l + 1, heads]: shares of layers 0 to l
        int64_t heads = 0, width = 0;

        int64_t n_layer() const { return static_cast<int64_t>(read.size()); }
    };

    /// For a LossPass. REQUIRES: outlived by this; used for one pass alone.
    LossPass::Edit edit();

    const Table& keys() const { return keys_; }
    const Table& values() const { return values_; }

    /// Every layer reads its own in both tables.
    void reset(LossPass& pass) const;
    /// The heads of `layer` read `sources`, a layer for each, all at most `layer`.
    static void choose(LossPass& pass, const Table& table, int64_t layer,
                       const std::vector<int64_t>& sources);

  private:
    Table keys_, values_;
};

}  // namespace headroom
