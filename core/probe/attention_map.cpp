#include "core/probe/attention_map.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

/// Keys whose products with a query are made at once, and queries that share a look at them.
constexpr int64_t kPanel = 32, kQueries = 4;

std::vector<double> panels_of(const TokenMatrix& key) {
    const int64_t panels = (key.rows + kPanel - 1) / kPanel;
    std::vector<double> packed(static_cast<size_t>(panels * key.columns * kPanel));
    for (int64_t j = 0; j < key.rows; ++j)
        for (int64_t c = 0; c < key.columns; ++c)
            packed[static_cast<size_t>((j / kPanel * key.columns + c) * kPanel + j % kPanel)] =
                key.values[static_cast<size_t>(j * key.columns + c)];
    return packed;
}

/// Products of kQueries rows with one panel; each sum runs over c in order.
void multiply(const double* const (&query)[kQueries], const double* panel, int64_t width,
              double (&sums)[kQueries][kPanel]) {
    for (auto& row : sums) std::fill(std::begin(row), std::end(row), 0.0);
    for (int64_t c = 0; c < width; ++c)
        for (int64_t i = 0; i < kQueries; ++i)
            for (int64_t j = 0; j < kPanel; ++j) sums[i][j] += query[i][c] * panel[c * kPanel + j];
}

}  // namespace

AttentionMap::AttentionMap(const ProbePass& pass, int layer, int head, int64_t b)
    : query_(pass.head(layer, head, HeadPart::kQuery, b)),
      key_panels_(panels_of(pass.head(layer, head, HeadPart::kKey, b))),
      scale_(pass.attention(layer).scale),
      causal_(pass.attention(layer).causal) {}

void AttentionMap::logits(int64_t first, int64_t rows, std::span<double> out) const {
    const int64_t width = query_.columns, end = visible(first + rows - 1);
    for (int64_t key = 0; key < end; key += kPanel) {
        const double* panel = key_panels_.data() + key * width;
        const int64_t keys = std::min(kPanel, seq_len() - key);
        for (int64_t at = 0; at < rows; at += kQueries) {
            const double* query[kQueries];
            for (int64_t i = 0; i < kQueries; ++i)  // the last one again, where there are fewer
                query[i] = query_.row(first + std::min(at + i, rows - 1)).data();
            double sums[kQueries][kPanel];
            multiply(query, panel, width, sums);
            for (int64_t i = 0; i < std::min(kQueries, rows - at); ++i)
                for (int64_t j = 0; j < keys; ++j)
                    out[static_cast<size_t>((at + i) * seq_len() + key + j)] = scale_ * sums[i][j];
        }
    }
}

void AttentionMap::soften(int64_t first, int64_t rows, std::span<double> logits) const {
    for (int64_t i = 0; i < rows; ++i) {
        double* row = logits.data() + i * seq_len();
        const int64_t seen = visible(first + i);
        const double highest = *std::max_element(row, row + seen);
        double sum = 0;
        for (int64_t j = 0; j < seen; ++j) sum += row[j] = std::exp(row[j] - highest);
        for (int64_t j = 0; j < seen; ++j) row[j] /= sum;
        std::fill(row + seen, row + seq_len(), 0.0);
    }
}

void AttentionMap::weights(int64_t first, int64_t rows, std::span<double> out) const {
    logits(first, rows, out);
    soften(first, rows, out);
}

}  // namespace headroom
