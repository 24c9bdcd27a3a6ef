#pragma once

#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/surgery/failed_assumption.h"

namespace headroom {

/// Where the residual stream is read and written, and which of these places must stand in one
/// basis.
///
/// Writing the stream of a place as X Theta changes nothing if every matrix that reads there
/// becomes Theta^-1 W and every one that writes there W Theta (Karbevski & Mijoski, lemma 3.1). A
/// skip carries the stream on as it is, so the places before and after it share their Theta; a norm
/// and an identity map read it as it is, so theirs stays I.
class StreamPlaces {
  public:
    explicit StreamPlaces(const ModelConfig& model);

    /// What the attention of `layer` reads; n_layer: the end, which ln_f and the head read.
    int input(int layer) const { return 2 * layer; }
    /// What its MLP reads: of a parallel block, what its attention reads.
    int middle(int layer) const { return parallel_ ? 2 * layer : 2 * layer + 1; }
    /// Where its W_O writes.
    int attention_output(int layer) const { return parallel_ ? 2 * layer + 2 : 2 * layer + 1; }
    int end() const { return 2 * n_layer_; }

    bool same_basis(int a, int b) const { return basis_of_[at(a)] == basis_of_[at(b)]; }
    /// What keeps the basis of the place at I; empty if nothing does.
    FailedAssumption held_by(int place) const;
    /// What gives two places one basis. REQUIRES: same_basis(a, b).
    FailedAssumption joined_by(int a, int b) const;

  private:
    struct Join {
        int a, b;
        FailedAssumption what;
    };
    struct Hold {
        int place;
        FailedAssumption what;
    };

    static size_t at(int place) { return static_cast<size_t>(place); }
    void add_skips(const ModelConfig& model);
    void add_mixtures(const ModelConfig& model);
    void add_norms(const ModelConfig& model);
    void add_identities(const ModelConfig& model);
    void merge_joined();

    int n_layer_;
    bool parallel_;
    std::vector<Join> joins_;
    std::vector<Hold> holds_;
    std::vector<int> basis_of_;  ///< per place; equal numbers share a basis
};

}  // namespace headroom
