#include "datasets/tokenizers/bpe_merger.h"

namespace headroom {

void BpeMerger::add_candidate(int64_t left, int64_t right) {
    if (left < 0 || right >= static_cast<int64_t>(symbols_.size())) return;
    const int32_t left_id = symbols_[left].id, right_id = symbols_[right].id;
    const auto found = merges_.find(BpeVocabulary::pair_key(left_id, right_id));
    if (found != merges_.end()) candidates_.push({found->second, left, right, left_id, right_id});
}

void BpeMerger::merge(std::span<const int32_t> tokens, std::vector<int32_t>& ids) {
    const auto count = static_cast<int64_t>(tokens.size());
    symbols_.resize(tokens.size());
    for (int64_t i = 0; i < count; ++i)
        symbols_[i] = {tokens[static_cast<size_t>(i)], i - 1, i + 1};
    for (int64_t i = 0; i + 1 < count; ++i) add_candidate(i, i + 1);
    while (!candidates_.empty()) {
        const Candidate best = candidates_.top();
        candidates_.pop();
        Symbol& left = symbols_[best.left];
        Symbol& right = symbols_[best.right];
        const bool outdated =
            left.id != best.left_id || right.id != best.right_id || left.next != best.right;
        if (outdated) continue;
        left.id = best.merge.id;
        left.next = right.next;
        right.id = -1;
        if (left.next < count) symbols_[left.next].previous = best.left;
        add_candidate(left.previous, best.left);
        add_candidate(best.left, left.next);
    }
    for (int64_t i = 0; i < count; i = symbols_[i].next) ids.push_back(symbols_[i].id);
}

}  // namespace headroom
