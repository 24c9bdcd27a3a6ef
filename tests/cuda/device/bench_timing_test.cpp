// What benchmarks time on a device that works by itself: results, not requests, of work that is no
// longer being recorded (emulated: it counts).
#include <gtest/gtest.h>

#include "core/bench/decode_bench.h"
#include "core/bench/probe_bench.h"
#include "tests/core/model/architectures.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/emulated_runtime.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

/// What one round of a prompt of two tokens and of so many steps asks of the device.
EmulatedCounts counts_of_decoding(int64_t new_tokens) {
    const auto device = make_emulated_cuda_device();
    DecodeBenchOptions options;
    options.new_tokens = new_tokens;
    options.rounds = 1;
    const EmulatedCounts before = emulated_counts();
    bench_decoding({{{small_job("{}").model}, 1, 2}}, options, *device);
    EmulatedCounts counts = emulated_counts();
    counts.graphs -= before.graphs;
    counts.graph_launches -= before.graph_launches;
    counts.waits -= before.waits;
    return counts;
}

TEST(BenchTiming, WaitsForEveryTimedStepOfDecoding) {
    // In either case one turn, so memory is read once.
    const EmulatedCounts one = counts_of_decoding(1), four = counts_of_decoding(4);
    EXPECT_GE(four.waits - one.waits, 3);
}

TEST(BenchTiming, RecordsDecodingBeforeItIsTimed) {
    const EmulatedCounts one = counts_of_decoding(1);
    EXPECT_EQ(one.graphs, 2);  // the prompt, a step
    // Each runs kernel by kernel, is recorded and played, played once more; then timed.
    EXPECT_EQ(one.graph_launches, 2 * 3);
}

TEST(BenchTiming, RecordsAProbedPassBeforeItIsTimed) {
    const auto device = make_emulated_cuda_device();
    const TemporaryFolder folder;
    ProbeBenchOptions options;
    options.seq_len = 5;
    options.record = folder.path() / "record.h5";
    options.rounds = 1;
    const EmulatedCounts before = emulated_counts();
    bench_attention_record(small_job("{}").model, options, *device);
    const EmulatedCounts after = emulated_counts();
    EXPECT_EQ(after.graph_launches - before.graph_launches, 3);
}

}  // namespace
}  // namespace headroom
