#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <string_view>
#include <vector>

#include "datasets/tokenizers/bpe_vocabulary.h"

namespace headroom {

/// Merges tokens by rank: the pair of the smallest rank first, from the left.
/// O(n log n) for n tokens. Keeps its buffers between pieces; one thread at a time.
class BpeMerger {
  public:
    using Merges = std::unordered_map<uint64_t, BpeVocabulary::Merge>;  ///< by pair_key

    explicit BpeMerger(const Merges& merges) : merges_(merges) {}

    /// Appends to `ids` what the merges make of `tokens`.
    void merge(std::span<const int32_t> tokens, std::vector<int32_t>& ids);

  private:
    struct Symbol {
        int32_t id;              ///< -1 once it is part of its left neighbour
        int64_t previous, next;  ///< positions; -1 and the size at the ends
    };
    struct Candidate {
        BpeVocabulary::Merge merge;
        int64_t left, right;        ///< positions
        int32_t left_id, right_id;  ///< what stood there when the candidate was found
        bool operator<(const Candidate& other) const {
            if (merge.rank != other.merge.rank) return merge.rank > other.merge.rank;
            return left > other.left;
        }
    };

    void add_candidate(int64_t left, int64_t right);

    const Merges& merges_;
    std::vector<Symbol> symbols_;
    std::priority_queue<Candidate> candidates_;
};

}  // namespace headroom
