#include "core/bench/probe_bench.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/file_descriptor.h"
#include "core/bench/timings.h"
#include "core/probe/attention_probe.h"
#include "core/probe/attention_record.h"
#include "core/stats/median.h"
#include "core/weights/fresh_weights.h"

namespace headroom {
namespace {

template <class Work>
double seconds(Work&& work) {
    const double start = now_s();
    work();
    return now_s() - start;
}

void write_record(const ProbePass& pass, const std::vector<int32_t>& tokens,
                  const ProbeBenchOptions& options) {
    ArrayFileWriter file(options.record, kProbeFiles);
    write_probe_header(file, {"attention", "", "", -1, "tokens", pass.model()});
    write_probe_tokens(file, {1, options.seq_len, tokens});
    AttentionRecordOptions how;
    how.logits = options.logits;
    write_attention_record(file, pass, 0, how);
    file.commit();
}

void forget_pages(const std::filesystem::path& path) {
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0) ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
}

/// Seconds for every head of the record in turn.
std::vector<double> read_heads(const AttentionRecord& record) {
    std::vector<double> times;
    for (int64_t layer = 0; layer < record.n_layer(); ++layer)
        for (int64_t head = 0; head < record.n_head(); ++head)
            times.push_back(seconds([&] { record.read_box(layer, head, 1, record.whole()); }));
    return times;
}

}  // namespace

ProbeBench bench_attention_record(const ModelConfig& model, const ProbeBenchOptions& options,
                                  Device& device) {
    ProbeBench bench;
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < options.seq_len; ++i)
        tokens.push_back(static_cast<int32_t>((i * 7919 + 13) % model.vocab_size));
    {
        ProbePass pass(model, {1, options.seq_len, DType::kF32}, ProbeTaps::all_attention(model),
                       device);
        pass.load(FreshWeights(pass.model(), 1));
        for (int n = 0; n < kWarmUps; ++n) pass.run(tokens);
        pass.wait();
        bench.pass_s = seconds([&] {
            pass.run(tokens);
            pass.wait();
        });
        bench.write_s = seconds([&] { write_record(pass, tokens, options); });
    }
    bench.record_bytes = static_cast<int64_t>(std::filesystem::file_size(options.record));

    forget_pages(options.record);
    bench.first_open_s = seconds([&] { AttentionRecord{options.record}; });
    const AttentionRecord record(options.record);
    const std::vector<double> first = read_heads(record);
    bench.first_head_s = first.front();
    bench.slowest_head_s = *std::max_element(first.begin(), first.end());

    std::vector<double> opens;
    for (int round = 0; round < options.rounds; ++round)
        opens.push_back(seconds([&] { AttentionRecord{options.record}; }));
    bench.open_s = median(opens);
    bench.head_s = median(read_heads(record));
    return bench;
}

}  // namespace headroom
