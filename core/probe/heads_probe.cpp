#include "core/probe/heads_probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/cpu/parallel.h"
#include "core/probe/probe_datasets.h"

namespace headroom {
namespace {

struct MeasureInfo {
    std::string_view name, unit;
};
constexpr std::array<MeasureInfo, kHeadMeasures> kInfo{{{"entropy", "nats"},
                                                        {"sink_mass", ""},
                                                        {"previous_token", ""},
                                                        {"current_token", ""},
                                                        {"duplicate_token", ""},
                                                        {"induction", ""},
                                                        {"mean_distance", "tokens"}}};

/// Query rows that are made at once.
constexpr int64_t kScoreRows = 32;

/// For every query row the keys that the text makes special.
struct TokenMatches {
    std::vector<std::vector<int64_t>> duplicates;  ///< j < i with token_j = token_i
    std::vector<std::vector<int64_t>> inductions;  ///< 1 <= j < i with token_j-1 = token_i

    explicit TokenMatches(std::span<const int32_t> tokens) {
        std::unordered_map<int32_t, std::vector<int64_t>> places;
        for (size_t i = 0; i < tokens.size(); ++i) {
            std::vector<int64_t>& earlier = places[tokens[i]];
            duplicates.push_back(earlier);
            inductions.emplace_back();
            for (const int64_t j : earlier)
                if (j + 1 < static_cast<int64_t>(i)) inductions.back().push_back(j + 1);
            earlier.push_back(static_cast<int64_t>(i));
        }
    }
};

/// One head over one sequence: sums over query rows, and how many rows there were.
struct RowSums {
    std::array<double, kHeadMeasures> sums{};
    std::array<int64_t, kHeadMeasures> rows{};
    std::vector<double> profile;  ///< sums over rows at each distance

    explicit RowSums(int64_t seq_len) : profile(static_cast<size_t>(seq_len)) {}

    void add(HeadMeasure measure, double value) {
        sums[static_cast<size_t>(measure)] += value;
        ++rows[static_cast<size_t>(measure)];
    }
};

double mass_on(std::span<const double> row, const std::vector<int64_t>& keys) {
    double mass = 0;
    for (const int64_t j : keys) mass += row[static_cast<size_t>(j)];
    return mass;
}

/// -sum P ln P with ln P_j = S_j - S_max + ln P_max: one logarithm a row. Scores that are no
/// numbers show.
double entropy_of(std::span<const double> scores, std::span<const double> weights) {
    const auto top =
        static_cast<size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    const double log_sum = scores[top] - std::log(weights[top]);
    double entropy = 0;
    for (size_t j = 0; j < scores.size(); ++j) entropy += weights[j] * (log_sum - scores[j]);
    return entropy;
}

/// Row i of the scores and of the weights, as far as query i sees.
void add_row(RowSums& sums, const TokenMatches& matches, std::span<const double> scores,
             std::span<const double> row, int64_t i) {
    const double entropy = entropy_of(scores, row);
    double distance = 0;
    for (size_t j = 0; j < row.size(); ++j)
        distance += row[j] * static_cast<double>(std::abs(i - static_cast<int64_t>(j)));
    const auto at = static_cast<size_t>(i);
    for (size_t j = 0; j <= at; ++j) sums.profile[at - j] += row[j];
    sums.add(HeadMeasure::kEntropy, entropy);
    sums.add(HeadMeasure::kMeanDistance, distance);
    sums.add(HeadMeasure::kCurrentToken, row[at]);
    if (i >= 1) {
        sums.add(HeadMeasure::kSinkMass, row[0]);
        sums.add(HeadMeasure::kPreviousToken, row[at - 1]);
    }
    const auto &duplicates = matches.duplicates[at], &inductions = matches.inductions[at];
    if (!duplicates.empty()) sums.add(HeadMeasure::kDuplicateToken, mass_on(row, duplicates));
    if (!inductions.empty()) sums.add(HeadMeasure::kInduction, mass_on(row, inductions));
}

RowSums sum_rows(const AttentionMap& map, const TokenMatches& matches) {
    const int64_t seq_len = map.seq_len();
    RowSums sums(seq_len);
    std::vector<double> scores(static_cast<size_t>(std::min(kScoreRows, seq_len) * seq_len)),
        weights;
    for (int64_t first = 0; first < seq_len; first += kScoreRows) {
        const int64_t rows = std::min(kScoreRows, seq_len - first);
        map.logits(first, rows, scores);
        weights = scores;
        map.soften(first, rows, weights);
        for (int64_t i = first; i < first + rows; ++i) {
            const auto at = static_cast<size_t>((i - first) * seq_len),
                       seen = static_cast<size_t>(map.visible(i));
            add_row(sums, matches, std::span<const double>(scores).subspan(at, seen),
                    std::span<const double>(weights).subspan(at, seen), i);
        }
    }
    return sums;
}

}  // namespace

std::string_view name_of(HeadMeasure measure) {
    return kInfo[static_cast<size_t>(measure)].name;
}

HeadScoreSum::HeadScoreSum(int64_t n_layer, int64_t n_head, int64_t seq_len)
    : sums_{n_layer, n_head, seq_len, {}, {}}, counts_(kHeadMeasures) {
    for (std::vector<double>& sum : sums_.measures)
        sum.resize(static_cast<size_t>(n_layer * n_head));
    sums_.distance_profile.resize(static_cast<size_t>(n_layer * n_head * seq_len));
}

void HeadScoreSum::add(const ProbePass& pass, int64_t b, std::span<const int32_t> tokens) {
    const TokenMatches matches(tokens);
    const int64_t heads = sums_.n_layer * sums_.n_head, seq_len = sums_.seq_len;
    std::vector<RowSums> all(static_cast<size_t>(heads), RowSums(0));
    parallel_tasks(heads, [&](int64_t at, int) {
        const AttentionMap map(pass, static_cast<int>(at / sums_.n_head),
                               static_cast<int>(at % sums_.n_head), b);
        all[static_cast<size_t>(at)] = sum_rows(map, matches);
    });
    for (size_t at = 0; at < all.size(); ++at) {
        for (size_t m = 0; m < kHeadMeasures; ++m)
            if (all[at].rows[m] > 0)
                sums_.measures[m][at] += all[at].sums[m] / static_cast<double>(all[at].rows[m]);
        for (size_t d = 0; d < static_cast<size_t>(seq_len); ++d)
            sums_.distance_profile[at * static_cast<size_t>(seq_len) + d] +=
                all[at].profile[d] / static_cast<double>(static_cast<size_t>(seq_len) - d);
    }
    for (size_t m = 0; m < kHeadMeasures; ++m) counts_[m] += all[0].rows[m] > 0 ? 1 : 0;
    ++sequences_;
}

HeadScores HeadScoreSum::mean() const {
    HeadScores scores = sums_;
    for (size_t m = 0; m < kHeadMeasures; ++m)
        for (double& value : scores.measures[m])
            value = counts_[m] > 0 ? value / static_cast<double>(counts_[m])
                                   : std::numeric_limits<double>::quiet_NaN();
    for (double& value : scores.distance_profile) value /= static_cast<double>(sequences_);
    return scores;
}

void write_head_scores(ArrayFileWriter& file, const HeadScores& scores) {
    const Shape shape{scores.n_layer, scores.n_head};
    for (size_t m = 0; m < kHeadMeasures; ++m)
        file.add(head_measure_path(kInfo[m].name), shape, scores.measures[m],
                 std::string(kInfo[m].unit));
    file.add(kDistanceProfile, {scores.n_layer, scores.n_head, scores.seq_len},
             scores.distance_profile);
    file.plot_hint({"/heads", "entropy"});
}

}  // namespace headroom
