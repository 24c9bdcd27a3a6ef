#include "core/device/device.h"

#include <algorithm>

#include <fmt/format.h>

namespace headroom {
namespace {

template <class T>
double read_one(const Executor& executor, ValueId id) {
    T value{};
    executor.read(id, std::as_writable_bytes(std::span(&value, 1)));
    return static_cast<double>(value);
}

template <class T>
void average_value(Executor& executor, ValueId id, ProcessGroup& group) {
    std::vector<T> values(static_cast<size_t>(executor.graph().value(id).type.count()));
    executor.read(id, std::as_writable_bytes(std::span(values)));
    group.sum(std::span<T>(values));
    const T share = T{1} / static_cast<T>(group.size());
    for (T& value : values) value *= share;
    executor.write(id, std::as_bytes(std::span(values)));
}

constexpr const char* kSmallerJob = "lower train.batch_size or train.seq_len";

std::string text_of(const MemoryLedger& ledger) {
    const std::string cache = ledger.cache > 0 ? fmt::format("cache {}, ", ledger.cache) : "";
    return fmt::format(
        "{} bytes (weights {}, gradients {}, optimizer {}, {}activations {}, workspace {}, "
        "inputs and results {})",
        ledger.total, ledger.weights, ledger.gradients, ledger.optimizer, cache, ledger.activations,
        ledger.workspace, ledger.inputs_and_results);
}

}  // namespace

int64_t Device::prefill_chunk(int64_t) const {
    return kPrefillChunk;
}

MemoryLayout Device::weight_layout(DType) const {
    return MemoryLayout::kRows;
}

void Executor::watch(ValueId) {}

double Executor::watched(ValueId scalar) const {
    return read_scalar(*this, scalar);
}

void Executor::all_reduce_mean(std::span<const ValueId> values, ProcessGroup& group) {
    if (group.is_alone()) return;
    for (const ValueId id : values) {
        const DType dtype = graph().value(id).type.dtype;
        CHECK(dtype == DType::kF32 || dtype == DType::kF64, "means of float32 or float64");
        if (dtype == DType::kF64)
            average_value<double>(*this, id, group);
        else
            average_value<float>(*this, id, group);
    }
}

void add_time(std::vector<OpTime>& rows, std::string_view op, double seconds, int64_t launches,
              const OpCost& one_launch) {
    if (launches == 0) return;
    auto row =
        std::find_if(rows.begin(), rows.end(), [&](const OpTime& time) { return time.op == op; });
    if (row == rows.end()) row = rows.insert(row, OpTime{std::string(op), 0, 0, {}});
    const auto count = static_cast<double>(launches);
    row->seconds += seconds;
    row->launches += launches;
    row->cost.flops += one_launch.flops * count;
    row->cost.bytes += one_launch.bytes * count;
}

void sort_times(std::vector<OpTime>& rows) {
    std::sort(rows.begin(), rows.end(),
              [](const OpTime& a, const OpTime& b) { return a.seconds > b.seconds; });
}

EnvironmentError not_enough_memory(const MemoryLedger& ledger) {
    return {fmt::format("not enough memory for {}", text_of(ledger)), kSmallerJob};
}

EnvironmentError not_enough_memory(const MemoryLedger& ledger, std::string_view device,
                                   int64_t free, int64_t reserve) {
    return {fmt::format("not enough memory on {}, which has {} bytes free, {} of them kept for its "
                        "libraries and recorded graphs, for {}",
                        device, free, reserve, text_of(ledger)),
            kSmallerJob};
}

double read_scalar(const Executor& executor, ValueId id) {
    const DType dtype = executor.graph().value(id).type.dtype;
    CHECK(dtype == DType::kF32 || dtype == DType::kF64, "a scalar is float32 or float64");
    return dtype == DType::kF64 ? read_one<double>(executor, id) : read_one<float>(executor, id);
}

}  // namespace headroom
