#include "panels/loss/loss_rows.h"

#include <algorithm>
#include <cmath>

namespace headroom {
namespace {

size_t row_count(const Run& run, LossKind kind) {
    return kind == LossKind::kTrain ? run.series->train.loss.size() : run.series->val.loss.size();
}

/// Time can only go on, whatever a damaged log says.
void make_monotone(std::vector<double>& values) {
    double greatest = -HUGE_VAL;
    for (double& value : values) {
        if (!std::isfinite(value) || value < greatest)
            value = std::isfinite(greatest) ? greatest : 0.0;
        greatest = value;
    }
}

}  // namespace

int64_t LossRows::step(uint32_t row) const {
    return kind == LossKind::kTrain ? run->series->train.step[row] : run->series->val.step[row];
}

int64_t LossRows::tokens(uint32_t row) const {
    return kind == LossKind::kTrain ? run->series->train.tokens[row] : run->series->val.tokens[row];
}

double LossRows::loss(uint32_t row) const {
    return kind == LossKind::kTrain ? run->series->train.loss[row] : run->series->val.loss[row];
}

LossRows loss_rows(const RunPointer& run, LossKind kind) {
    LossRows result{.run = run, .kind = kind, .kept = {}, .superseded = {}, .resumed = {}};
    const auto count = static_cast<uint32_t>(row_count(*run, kind));
    result.kept.reserve(count);
    for (uint32_t row = 0; row < count; ++row) {
        const int64_t step = result.step(row);
        auto& kept = result.kept;
        if (!kept.empty() && result.step(kept.back()) >= step) {
            const auto repeated = std::lower_bound(
                kept.begin(), kept.end(), step,
                [&](uint32_t earlier, int64_t value) { return result.step(earlier) < value; });
            result.superseded.emplace_back(repeated, kept.end());
            kept.erase(repeated, kept.end());
            result.resumed.push_back(row);
        }
        kept.push_back(row);
    }
    return result;
}

std::vector<double> seconds_at(const LossRows& series, std::span<const uint32_t> rows) {
    const SharedColumn<double>& seconds = series.run->series->train.seconds;
    std::vector<double> out;
    out.reserve(rows.size());
    if (series.kind == LossKind::kTrain) {
        for (const uint32_t row : rows) out.push_back(seconds[row]);
    } else {
        const LossRows train = loss_rows(series.run, LossKind::kTrain);
        auto at = train.kept.begin();
        for (const uint32_t row : rows) {
            while (at != train.kept.end() && train.step(*at) <= series.step(row)) ++at;
            out.push_back(at == train.kept.begin() ? 0.0 : seconds[*(at - 1)]);
        }
    }
    make_monotone(out);
    return out;
}

std::vector<double> x_values(const LossRows& series, std::span<const uint32_t> rows, LossX x) {
    std::vector<double> out;
    if (x == LossX::kSeconds || x == LossX::kWall) {
        out = seconds_at(series, rows);
        if (x == LossX::kWall)
            for (double& value : out) value += series.run->started_unix;
        return out;
    }
    out.reserve(rows.size());
    for (const uint32_t row : rows)
        out.push_back(
            static_cast<double>(x == LossX::kSteps ? series.step(row) : series.tokens(row)));
    make_monotone(out);
    return out;
}

}  // namespace headroom
