#pragma once

#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include "core/log/run_log_writer.h"
#include "core/log/run_series.h"

namespace headroom {

/// Rows whose every value follows from the step, so that a reader can tell right from wrong.
inline TrainRow train_row(int64_t step) {
    TrainRow row;
    row.step = step;
    row.tokens = step * 4096;
    row.loss = 2.0f + 3.0f / static_cast<float>(step);
    row.lr = 1e-3f / static_cast<float>(step);
    row.grad_norm = std::sqrt(static_cast<float>(step));
    row.seconds = 0.25 * static_cast<double>(step);
    row.batch_hash = static_cast<uint64_t>(step) * 0x9e3779b97f4a7c15ull;
    return row;
}

/// After every tenth step.
inline ValRow val_row(int64_t step) {
    return {step, step * 4096, 2.5f + 3.0f / static_cast<float>(step), 7};
}

/// After every fifth step.
inline SystemRow system_row(int64_t step) {
    return {0.25 * static_cast<double>(step), step * 3, step * 7, 16384.0f};
}

/// Appends the rows of steps first..last, flushing after each as training does.
inline void append_steps(RunLogWriter& writer, int64_t first, int64_t last) {
    for (int64_t step = first; step <= last; ++step) {
        writer.append_train(train_row(step));
        if (step % 10 == 0) writer.append_val(val_row(step));
        if (step % 5 == 0) writer.append_system(system_row(step));
        writer.flush();
    }
}

/// Whether the series holds exactly the rows of steps 1..n, in all columns, as far as each group
/// goes (a killed writer may have published the groups to different steps).
inline bool rows_are_right(const RunSeries& series) {
    bool right = true;
    for (size_t i = 0; i < series.train.step.size(); ++i) {
        const TrainRow row = train_row(static_cast<int64_t>(i) + 1);
        right = right && series.train.step[i] == row.step && series.train.tokens[i] == row.tokens &&
                series.train.loss[i] == row.loss && series.train.lr[i] == row.lr &&
                series.train.grad_norm[i] == row.grad_norm &&
                series.train.seconds[i] == row.seconds &&
                series.train.batch_hash[i] == row.batch_hash;
    }
    for (size_t i = 0; i < series.val.step.size(); ++i) {
        const ValRow row = val_row((static_cast<int64_t>(i) + 1) * 10);
        right = right && series.val.step[i] == row.step && series.val.tokens[i] == row.tokens &&
                series.val.loss[i] == row.loss && series.val.batch_hash[i] == row.batch_hash;
    }
    for (size_t i = 0; i < series.system.seconds.size(); ++i) {
        const SystemRow row = system_row((static_cast<int64_t>(i) + 1) * 5);
        right = right && series.system.seconds[i] == row.seconds &&
                series.system.device_bytes[i] == row.device_bytes &&
                series.system.host_bytes[i] == row.host_bytes &&
                series.system.tokens_per_second[i] == row.tokens_per_second;
    }
    return right;
}

inline void expect_steps(const RunSeries& series, int64_t n) {
    EXPECT_EQ(series.train.step.size(), static_cast<size_t>(n));
    EXPECT_EQ(series.val.step.size(), static_cast<size_t>(n / 10));
    EXPECT_EQ(series.system.seconds.size(), static_cast<size_t>(n / 5));
    EXPECT_TRUE(rows_are_right(series));
}

inline RunLogAttributes attributes_for_test() {
    return {R"({"name": "test", "train": {"steps": 3000}})", "headroom test", "here", "cpu",
            "2030-01-01T00:00:00Z"};
}

}  // namespace headroom
