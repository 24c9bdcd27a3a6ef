#include "datasets/tokenizers/unigram_path.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace headroom {
namespace {

/// SentencePiece (not Hugging Face) starts its sums anew beyond this, to keep their precision.
constexpr float kResetThreshold = 100000.0F;

/// Bytes of the character that starts at `at`, as its first byte says.
size_t character_length(std::string_view text, size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const size_t length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    return std::min(length, text.size() - at);
}

}  // namespace

UnigramPath::UnigramPath(const std::vector<Piece>& pieces, double unknown_score, Sums sums)
    : unknown_score_(unknown_score), sums_(sums) {
    std::vector<std::pair<std::string_view, int32_t>> keys;
    for (const Piece& piece : pieces) {
        keys.emplace_back(piece.text, static_cast<int32_t>(ids_.size()));
        ids_.push_back(piece.id);
        scores_.push_back(piece.score);
    }
    trie_ = ByteTrie(std::move(keys));
}

template <class Sum>
std::vector<UnigramPath::Part> UnigramPath::find(std::string_view text) const {
    struct Node {
        Sum score = 0;
        int32_t id = -1;
        int64_t start = -1;  // -1: nothing ends here yet
    };
    std::vector<Node> ends(text.size() + 1);
    size_t reached = 0;
    const auto offer = [&](size_t start, size_t end, Sum score, int32_t id) {
        reached = std::max(reached, end);
        Node& node = ends[end];
        if (node.start < 0 || score > node.score) node = {score, id, static_cast<int64_t>(start)};
    };
    for (size_t at = 0; at < text.size();) {
        Sum here = ends[at].score;
        if (std::is_same_v<Sum, float> && std::abs(here) > kResetThreshold) {
            for (size_t i = at; i <= reached; ++i)
                if (i == at || ends[i].start >= 0) ends[i].score -= here;
            here = 0;
        }
        const size_t one = character_length(text, at);
        bool has_one = false;
        trie_.prefixes(text.substr(at), [&](size_t length, int32_t place) {
            const auto i = static_cast<size_t>(place);
            offer(at, at + length, static_cast<Sum>(scores_[i]) + here, ids_[i]);
            has_one |= length == one;
        });
        if (!has_one) offer(at, at + one, static_cast<Sum>(unknown_score_) + here, -1);
        at += one;
    }
    std::vector<Part> parts;
    for (size_t end = text.size(); end > 0;) {
        const auto start = static_cast<size_t>(ends[end].start);
        parts.push_back({start, end, ends[end].id});
        end = start;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
}

std::vector<UnigramPath::Part> UnigramPath::best(std::string_view text) const {
    return sums_ == Sums::kFloat ? find<float>(text) : find<double>(text);
}

}  // namespace headroom
