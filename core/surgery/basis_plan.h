#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/surgery/attention_matrix.h"
#include "core/surgery/stream_places.h"

namespace headroom {

/// The bases of the residual stream in which the given matrices are the identity, or why there are
/// none. From the configuration alone.
class BasisPlan {
  public:
    /// Which matrix makes the basis of a place: Theta = W for one that reads the stream, W^-1 for
    /// W_O, and the inverse transpose of that where tied embeddings ask for it.
    struct Choice {
        LayerMatrix from;
        bool from_other_end = false;
    };

    /// Of a tied model the head becomes a tensor of its own where `untie` is set.
    BasisPlan(const ModelConfig& model, std::vector<LayerMatrix> removed, bool untie);

    bool possible() const { return failed_.empty(); }
    /// The assumption that fails and, in `remedy`, what to do about it.
    const FailedAssumption& failed() const { return failed_; }
    const std::string& remedy() const { return remedy_; }

    const std::vector<LayerMatrix>& removed() const { return removed_; }
    bool removes(const LayerMatrix& which) const;
    /// The configuration of the result.
    const ModelConfig& config() const { return config_; }
    const StreamPlaces& places() const { return places_; }
    /// Of a place; none where it stays as it is.
    const std::optional<Choice>& choice(int place) const {
        return choices_[static_cast<size_t>(place)];
    }
    /// The matrices whose inverses are needed.
    std::vector<LayerMatrix> inverted() const;

  private:
    int place_of(const LayerMatrix& which) const;
    void choose();
    void choose_tied(const ModelConfig& model, bool untie);
    void refuse(FailedAssumption failed, std::string remedy);
    bool is_only_writer(const LayerMatrix& output) const;

    StreamPlaces places_;
    std::vector<LayerMatrix> removed_;
    ModelConfig config_;
    std::vector<std::optional<Choice>> choices_;
    FailedAssumption failed_;
    std::string remedy_;
};

}  // namespace headroom
