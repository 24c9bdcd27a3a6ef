#include <algorithm>

#include <fmt/format.h>

#include "core/account/memory_ledger.h"
#include "core/account/memory_program.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/system_info.h"

namespace headroom {
namespace {

/// Bytes of the arena from `begin` to before `end`.
struct Extent {
    int64_t begin = 0, end = 0;
};

/// Bytes that any of the extents covers.
int64_t covered(std::vector<Extent> extents) {
    std::sort(extents.begin(), extents.end(),
              [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    int64_t bytes = 0, end = 0;
    for (const Extent& extent : extents) {
        bytes += std::max<int64_t>(0, extent.end - std::max(end, extent.begin));
        end = std::max(end, extent.end);
    }
    return bytes;
}

int64_t MemoryLedger::*part_of(Role role) {
    switch (role) {
        case Role::kParameter:
        case Role::kWorkingCopy:
            return &MemoryLedger::weights;
        case Role::kGradient:
            return &MemoryLedger::gradients;
        case Role::kOptimizer:
            return &MemoryLedger::optimizer;
        case Role::kCache:
            return &MemoryLedger::cache;
        case Role::kActivation:
        case Role::kActivationGradient:
            return &MemoryLedger::activations;
        default:
            return &MemoryLedger::inputs_and_results;
    }
}

/// The values of a heading where they lie. Each but those of the cache fills up its alignment.
int64_t held_bytes(const Executor& executor, int64_t MemoryLedger::*heading) {
    const int64_t alignment = heading == &MemoryLedger::cache ? 1 : kArenaAlignment;
    std::vector<Extent> extents;
    for (size_t v = 0; v < executor.graph().values().size(); ++v) {
        const Plan::Placement& place = executor.plan().values[v];
        if (place.offset < 0 || part_of(executor.graph().values()[v].role) != heading) continue;
        const int64_t bytes = (place.bytes + alignment - 1) / alignment * alignment;
        extents.push_back({place.offset, place.offset + bytes});
    }
    return covered(std::move(extents));
}

MemoryLedger held_memory(const Executor& executor) {
    MemoryLedger held;
    for (const auto& [name, heading] : kMemoryHeadings)
        held.*heading = held_bytes(executor, heading);
    held.total = executor.allocated_bytes();
    held.workspace = held.total - executor.plan().workspace_offset;
    return held;
}

void check_room(int64_t bytes) {
    const int64_t available = available_bytes();
    if (available > 0 && bytes > available)
        throw EnvironmentError(fmt::format("measuring takes {} bytes, and {} are free",
                                           grouped_digits(bytes), grouped_digits(available)),
                               "take a smaller batch or context, or leave it at the prediction");
}

}  // namespace

void measure_memory(MemoryReport& report, Device& device) {
    device.check_precision(report.request.precision);
    check_room(report.predicted.total);
    const int64_t before = resident_bytes();
    const MemoryProgram program = memory_program(report.request);
    const auto executor = device.prepare(program.graph);
    for (const Phase phase : program.phases) executor->run(phase, StepContext{});
    MeasuredMemory measured;
    measured.resident_growth = before > 0 ? resident_bytes() - before : 0;
    measured.held = held_memory(*executor);
    for (const ValueId id : program.cache)
        measured.cache.push_back(executor->plan().values[static_cast<size_t>(id)].bytes);
    report.measured = std::move(measured);
}

}  // namespace headroom
