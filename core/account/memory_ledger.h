#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/account/cache_buffers.h"
#include "core/account/memory_parts.h"
#include "core/config/job.h"
#include "core/device/device.h"

namespace headroom {

enum class MemoryUse { kTraining, kInference };

std::string_view name_of(MemoryUse use);  ///< training | inference

/// What the weights are held as, where it is not the precision alone: " (weights: float32 and a
/// bfloat16 copy)", else "".
std::string_view weights_note(DType precision);

/// The most that a person can ask about.
inline constexpr int64_t kMostMemoryBatch = int64_t{1} << 20;
inline constexpr int64_t kMostMemoryContext = int64_t{1} << 30;

/// What to account for. Training is a step and an evaluation as the job's train section says;
/// inference is decoding with caches of `context` tokens, or one pass over them for an encoder.
struct MemoryRequest {
    MemoryUse use = MemoryUse::kInference;
    Job job;  ///< its vocab_size must be known
    DType precision = DType::kF32;
    int64_t batch_size = 1;
    int64_t context = 0;  ///< tokens of each sequence
};

/// As `job` trains, or as one sequence of block_size tokens is decoded in the job's precision.
MemoryRequest memory_request(const Job& job, MemoryUse use);

/// The job with the sizes of the request.
Job trained_job(const MemoryRequest& request);

/// What an executor really holds.
struct MeasuredMemory {
    /// The bytes of its arena that values of each heading lie in, counted from their addresses:
    /// unlike in the plan, bytes that two values shared would count once. `total` is what the
    /// device allocated.
    MemoryLedger held;
    std::vector<int64_t> cache;  ///< of each buffer of the report
    /// How much more RAM the process took, after one pass has touched it; libraries' own buffers
    /// are in it. 0 where the system does not tell.
    int64_t resident_growth = 0;
};

struct MemoryReport {
    MemoryRequest request;
    MemoryLedger predicted;
    std::vector<MemoryPart> parts;   ///< of weights, gradients and optimizer state
    std::vector<CacheBuffer> cache;  ///< empty in training
    /// What the largest probe of the job takes beside a training while it is made: for whoever made
    /// the report to say, since probes are above this room.
    int64_t largest_probe = 0;
    std::optional<MeasuredMemory> measured;

    int64_t cache_bytes(const CacheBuffer& buffer) const {
        return buffer.bytes(request.precision, request.batch_size, request.context);
    }
};

/// From the plan of the very graph that a run on this machine's CPU executes; nothing of it is
/// allocated. Milliseconds, also for models of billions of parameters. UserError for a context that
/// the model has no positions for.
MemoryReport memory_report(MemoryRequest request);

/// Allocates it on `device` and runs one pass (a training step, or a piece of prompt and a token)
/// with weights of zero. EnvironmentError if the machine has less memory free than predicted.
void measure_memory(MemoryReport& report, Device& device);

/// The headings of a ledger, total last, with their names in JSON ("inputs_and_results").
inline constexpr std::array<std::pair<std::string_view, int64_t MemoryLedger::*>, 8>
    kMemoryHeadings{{{"weights", &MemoryLedger::weights},
                     {"gradients", &MemoryLedger::gradients},
                     {"optimizer", &MemoryLedger::optimizer},
                     {"cache", &MemoryLedger::cache},
                     {"activations", &MemoryLedger::activations},
                     {"workspace", &MemoryLedger::workspace},
                     {"inputs_and_results", &MemoryLedger::inputs_and_results},
                     {"total", &MemoryLedger::total}}};

/// for, precision, batch_size, context; predicted: bytes by heading; measured: the same and
/// resident_growth, or null; largest_probe: bytes; cache_bytes_per_token: of one sequence; cache[]:
/// layer, kind, heads, width, bytes, measured_bytes (or null), readers (layers), head_readers
/// ([layer, head]). parts[]: heading, layer (or null), name, bytes. Layers and heads are 0-based.
nlohmann::json to_json(const MemoryReport& report);

/// What to_json wrote of a measurement. UserError if `report` has none or is nothing of the kind.
MeasuredMemory read_measurement(const nlohmann::json& report);

}  // namespace headroom
