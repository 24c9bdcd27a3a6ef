#include "datasets/tokenizers/sentencepiece/score_merger.h"

#include <algorithm>
#include <queue>
#include <unordered_map>
#include <utility>

namespace headroom {
namespace {

using Use = SentencePieceFile::Use;

struct Symbol {
    int64_t previous, next;
    std::string_view text;  ///< empty once it is part of its left neighbour
    bool frozen;
};

struct Candidate {
    int64_t left, right;
    float score;
    size_t size;
    bool operator<(const Candidate& other) const {
        if (score != other.score) return score < other.score;
        return left > other.left;
    }
};

size_t character_length(std::string_view text) {
    size_t length = 1;
    while (length < text.size() && length < 4 &&
           (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80)
        ++length;
    return length;
}

}  // namespace

/// The merging of one text.
struct ScoreMerger::Search {
    const ScoreMerger& merger;
    std::vector<Symbol> symbols = {};
    std::priority_queue<Candidate> agenda = {};
    std::unordered_map<std::string_view, std::pair<std::string_view, std::string_view>> halves = {};

    int32_t id_of(std::string_view text) const {
        const auto [length, id] = merger.pieces_.longest(text);
        return length == text.size() ? id : -1;
    }
    bool is_unused(int32_t id) const {
        return merger.file_.pieces[static_cast<size_t>(id)].use == Use::kUnused;
    }

    void split(std::string_view text) {
        while (!text.empty()) {
            const size_t kept = merger.kept_.longest(text).first;
            const size_t length = kept > 0 ? kept : character_length(text);
            const auto index = static_cast<int64_t>(symbols.size());
            text.size() == length
                ? symbols.push_back({index - 1, -1, text, kept > 0})
                : symbols.push_back({index - 1, index + 1, text.substr(0, length), kept > 0});
            text.remove_prefix(length);
        }
    }

    Symbol& at(int64_t index) { return symbols[static_cast<size_t>(index)]; }

    void consider(int64_t left, int64_t right) {
        if (left < 0 || right < 0 || at(left).frozen || at(right).frozen) return;
        const std::string_view text(at(left).text.data(),
                                    at(left).text.size() + at(right).text.size());
        const int32_t id = id_of(text);
        if (id < 0) return;
        agenda.push({left, right, merger.file_.pieces[static_cast<size_t>(id)].score, text.size()});
        if (is_unused(id)) halves[text] = {at(left).text, at(right).text};
    }

    void merge() {
        for (int64_t i = 1; i < static_cast<int64_t>(symbols.size()); ++i) consider(i - 1, i);
        while (!agenda.empty()) {
            const Candidate best = agenda.top();
            agenda.pop();
            Symbol& left = at(best.left);
            Symbol& right = at(best.right);
            const bool outdated = left.text.empty() || right.text.empty() ||
                                  left.text.size() + right.text.size() != best.size;
            if (outdated) continue;
            left.text = {left.text.data(), best.size};
            left.next = right.next;
            if (right.next >= 0) at(right.next).previous = best.left;
            right.text = {};
            consider(left.previous, best.left);
            consider(best.left, left.next);
        }
    }

    /// Takes unused pieces apart again.
    void add(std::string_view text, std::vector<Part>& parts) {
        std::vector<std::string_view> waiting{text};
        while (!waiting.empty()) {
            const std::string_view now = waiting.back();
            waiting.pop_back();
            const int32_t id = id_of(now);
            const auto two = id >= 0 && is_unused(id) ? halves.find(now) : halves.end();
            if (two == halves.end()) {
                parts.push_back({now, id});
                continue;
            }
            waiting.push_back(two->second.second);
            waiting.push_back(two->second.first);
        }
    }
};

std::vector<ScoreMerger::Part> ScoreMerger::cut(std::string_view text) const {
    Search search{*this};
    search.split(text);
    if (merges_) search.merge();
    std::vector<Part> parts;
    for (int64_t i = text.empty() ? -1 : 0; i >= 0; i = search.at(i).next)
        search.add(search.at(i).text, parts);
    return parts;
}

}  // namespace headroom
