#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/device_ceilings.h"
#include "core/device/process_group.h"
#include "core/graph/graph.h"
#include "core/graph/plan.h"

namespace headroom {

/// Time spent in one operator since the last reset, for the benchmark.
struct OpTime {
    std::string op;
    double seconds = 0;
    int64_t launches = 0;
    OpCost cost;  ///< summed over the launches
};

/// Adds the launches of one node to the row of its operator.
void add_time(std::vector<OpTime>& rows, std::string_view op, double seconds, int64_t launches,
              const OpCost& one_launch);
/// Longest first.
void sort_times(std::vector<OpTime>& rows);

/// One planned graph on one device: holds the arena and runs phases. The graph must outlive it.
/// Used by one thread at a time.
class Executor {
  public:
    virtual ~Executor() = default;

    virtual const Graph& graph() const = 0;
    virtual const Plan& plan() const = 0;
    /// Bytes that the device really allocated for this executor.
    virtual int64_t allocated_bytes() const = 0;

    /// Copies a whole value from or to host memory; sizes must match exactly.
    virtual void write(ValueId value, std::span<const std::byte> bytes) = 0;
    virtual void read(ValueId value, std::span<std::byte> bytes) const = 0;
    /// Copies a part of a value, from byte `first` of it on.
    virtual void read_part(ValueId value, int64_t first, std::span<std::byte> bytes) const = 0;

    virtual void run(Phase phase, const StepContext& step) = 0;

    /// Names a number that will be wanted of every run: a result of one element, float32 or
    /// float64. To be called before the first run. `watched` gives the one that was made last and
    /// waits only until it is made: a device may be at work on what comes after. The CPU has
    /// nothing to prepare.
    virtual void watch(ValueId scalar);
    virtual double watched(ValueId scalar) const;

    /// Replaces each value by its mean over the processes of the group. The default goes through
    /// host memory.
    virtual void all_reduce_mean(std::span<const ValueId> values, ProcessGroup& group);

    /// Runs `phase` again with every output checked; returns "VALUE (OPERATOR)" of the first node
    /// whose output is not finite, or "" if all are.
    virtual std::string find_nonfinite(Phase phase, const StepContext& step) = 0;

    virtual void set_timing(bool on) = 0;
    /// Sorted by time, longest first.
    virtual std::vector<OpTime> times() const = 0;
};

/// The number in a value of one element, float32 or float64.
double read_scalar(const Executor& executor, ValueId value);

inline constexpr int64_t kPrefillChunk = 256;  ///< what the CPU takes in, see Device

/// A place where graphs run. Implemented by the CPU here and by the CUDA module.
class Device {
  public:
    virtual ~Device() = default;
    virtual std::string_view kind() const = 0;  ///< "cpu" or "cuda"
    virtual std::string description() const = 0;
    /// Throws UserError if the device cannot compute in `dtype`.
    virtual void check_precision(DType dtype) const = 0;
    virtual int threads() const = 0;
    /// How weights that many products of `precision` read should lie.
    virtual MemoryLayout weight_layout(DType precision) const;
    /// True if it has kernels of operators that tell the norm of what they write
    /// (Op::telling_norm).
    virtual bool tells_norms() const { return false; }
    /// Most tokens of each of so many prompts that one pass should take in (DecodeShape::chunk):
    /// long passes make fast products, and take more memory. kPrefillChunk unless a device says so.
    virtual int64_t prefill_chunk(int64_t batch_size) const;
    /// Allocates the arena. Throws EnvironmentError naming the ledger if memory is short.
    virtual std::unique_ptr<Executor> prepare(const Graph& graph) = 0;
    /// What benchmarks compare with.
    virtual std::unique_ptr<DeviceCeilings> ceilings() = 0;
};

/// "not enough memory for N bytes (weights …)", naming the ledger and what would help.
EnvironmentError not_enough_memory(const MemoryLedger& ledger);
/// The same for a device with memory of its own, of which `free` bytes are left and `reserve` of
/// those kept for what is in no ledger.
EnvironmentError not_enough_memory(const MemoryLedger& ledger, std::string_view device,
                                   int64_t free, int64_t reserve);

/// Which kernels the CPU device runs.
enum class Kernels { kFast, kReference };

/// UserError where OMP_NUM_THREADS asks for thousands.
std::unique_ptr<Device> make_cpu_device(Kernels kernels = Kernels::kFast);

}  // namespace headroom
