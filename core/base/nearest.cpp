#include "core/base/nearest.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headroom {

int edit_distance(std::string_view a, std::string_view b) {
    const size_t columns = b.size() + 1;
    std::vector<int> before(columns), last(columns), row(columns);
    for (size_t j = 0; j < columns; ++j) last[j] = static_cast<int>(j);
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (size_t j = 1; j < columns; ++j) {
            const int substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
    std::string best;
    int best_distance = 1 << 20;
    for (const std::string& candidate : candidates) {
        const int distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    const int allowed = std::max<int>(1, static_cast<int>(std::max(word.size(), best.size())) / 3);
    return best_distance <= allowed ? best : "";
}

std::string suggestion(std::string_view word, std::span<const std::string> candidates) {
    const std::string best = nearest(word, candidates);
    if (candidates.empty()) return "";
    if (!best.empty()) return fmt::format("; did you mean \"{}\"?", best);
    std::vector<std::string> each;
    for (const std::string& candidate : candidates)
        if (std::find(each.begin(), each.end(), candidate) == each.end()) each.push_back(candidate);
    return fmt::format("; known: {}", fmt::join(each, ", "));
}

}  // namespace headroom
