#include "panels/loss/loss_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

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
    if (other) return other->step(row);
    return kind == LossKind::kTrain ? run->series->train.step[row] : run->series->val.step[row];
}

int64_t LossRows::tokens(uint32_t row) const {
    if (other) return other->tokens(row);
    return kind == LossKind::kTrain ? run->series->train.tokens[row] : run->series->val.tokens[row];
}

double LossRows::loss(uint32_t row) const {
    if (other) return other->value(row);
    return kind == LossKind::kTrain ? run->series->train.loss[row] : run->series->val.loss[row];
}

static LossRows keep_rows(LossRows rows, size_t count) {
    KeptRows kept =
        kept_rows(count, [&](size_t row) { return rows.step(static_cast<uint32_t>(row)); });
    rows.kept = std::move(kept.kept);
    rows.superseded = std::move(kept.superseded);
    rows.resumed = std::move(kept.resumed);
    return rows;
}

LossRows loss_rows(const RunPointer& run, LossKind kind) {
    LossRows rows;
    rows.run = run;
    rows.kind = kind;
    return keep_rows(std::move(rows), row_count(*run, kind));
}

LossRows metric_rows(const RunPointer& run, const std::string& name) {
    LossRows rows;
    rows.run = run;
    const auto series = find_series(*run->series, name);
    if (!series) return rows;
    rows.other = std::make_shared<const NamedSeries>(*series);
    return keep_rows(std::move(rows), series->size);
}

LossRows shown_rows(const RunPointer& run, LossKind kind, const LossSettings& settings) {
    return settings.metric.empty() ? loss_rows(run, kind) : metric_rows(run, settings.metric);
}

LossRows unread_rows(const RunPointer& run, LossKind kind, const LossSettings& settings) {
    LossRows rows;
    rows.run = run;
    rows.kind = kind;
    if (settings.metric.empty()) return rows;
    if (const auto series = find_series(*run->series, settings.metric))
        rows.other = std::make_shared<const NamedSeries>(*series);
    return rows;
}

bool has_times(const Run& run, LossX x) {
    const SharedColumn<double>& seconds = run.series->train.seconds;
    if (x == LossX::kWall && run.started_unix <= 0) return false;
    return seconds.size() > 0 && seconds[seconds.size() - 1] > 0;
}

std::vector<double> seconds_at(const LossRows& series, std::span<const uint32_t> rows) {
    const SharedColumn<double>& seconds = series.run->series->train.seconds;
    std::vector<double> out;
    out.reserve(rows.size());
    if (series.kind == LossKind::kTrain && !series.other) {
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

double seconds_at(const LossRows& series, uint32_t row) {
    const TrainSeries& train = series.run->series->train;
    if (series.kind == LossKind::kTrain && !series.other) return train.seconds[row];
    const auto after = std::upper_bound(train.step.begin(), train.step.end(), series.step(row));
    return after == train.step.begin()
               ? 0.0
               : train.seconds[static_cast<size_t>(after - train.step.begin()) - 1];
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
