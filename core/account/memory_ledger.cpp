#include "core/account/memory_ledger.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/memory_program.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/cpu/parallel.h"

namespace headroom {
namespace {

constexpr int64_t kMostTokens = int64_t{1} << 34;  // more would not fit 64 bits of bytes

/// The rows of wpe, and in training every position, end at block_size.
void check_context(const MemoryRequest& request) {
    CHECK(request.batch_size > 0 && request.context > 0, "a positive batch and context");
    const ModelConfig& model = request.job.model;
    CHECK(model.vocab_size > 0, "a known vocabulary");
    if (request.context > kMostTokens / request.batch_size)
        throw UserError(fmt::format("{} sequences of {} tokens are more than can be counted",
                                    request.batch_size, request.context),
                        "take a smaller batch or context");
    if (model.reads_images() && request.context != model.block_size)
        throw UserError(
            fmt::format("an image has {} positions, not {}", model.block_size, request.context),
            "leave the context out");
    const bool bounded = request.use == MemoryUse::kTraining || model.pos == Positions::kLearned;
    if (bounded && request.context > model.block_size)
        throw UserError(
            fmt::format("a context of {} tokens is longer than the model's block_size "
                        "of {}",
                        request.context, model.block_size),
            fmt::format("take a shorter one or set model.block_size={}", request.context));
}

nlohmann::json ledger_to_json(const MemoryLedger& ledger) {
    nlohmann::json entry;
    for (const auto& [name, bytes] : kMemoryHeadings) entry[std::string(name)] = ledger.*bytes;
    return entry;
}

nlohmann::json buffer_to_json(const MemoryReport& report, size_t index) {
    const CacheBuffer& buffer = report.cache[index];
    nlohmann::json entry{{"layer", buffer.layer},
                         {"kind", name_of(buffer.kind)},
                         {"heads", buffer.heads},
                         {"width", buffer.width},
                         {"bytes", report.cache_bytes(buffer)},
                         {"measured_bytes", nullptr},
                         {"readers", buffer.readers},
                         {"head_readers", nlohmann::json::array()}};
    if (report.measured) entry["measured_bytes"] = report.measured->cache[index];
    for (const auto& readers : buffer.head_readers) {
        nlohmann::json places = nlohmann::json::array();
        for (const HeadId& place : readers) places.push_back({place.layer, place.head});
        entry["head_readers"].push_back(std::move(places));
    }
    return entry;
}

}  // namespace

std::string_view weights_note(DType precision) {
    return precision == DType::kBF16 ? " (weights: float32 and a bfloat16 copy)" : "";
}

std::string_view name_of(MemoryUse use) {
    return use == MemoryUse::kTraining ? "training" : "inference";
}

MemoryRequest memory_request(const Job& job, MemoryUse use) {
    if (use == MemoryUse::kTraining)
        return {use, job, job.precision, job.train.batch_size, job.train.seq_len};
    return {use, job, job.precision, 1, job.model.block_size};
}

Job trained_job(const MemoryRequest& request) {
    Job job = request.job;
    job.precision = request.precision;
    job.train.batch_size = request.batch_size;
    job.train.seq_len = request.context;
    return job;
}

MemoryReport memory_report(MemoryRequest request) {
    check_context(request);
    MemoryReport report;
    const Graph graph = memory_program(request).graph;
    report.predicted = plan_memory(graph, cpu_threads()).ledger;
    report.parts = memory_parts(graph);
    if (request.use == MemoryUse::kInference) report.cache = cache_buffers(request.job.model);
    report.request = std::move(request);
    return report;
}

nlohmann::json to_json(const MemoryReport& report) {
    const MemoryRequest& request = report.request;
    nlohmann::json entry{{"for", name_of(request.use)},
                         {"precision", name_of(request.precision)},
                         {"batch_size", request.batch_size},
                         {"context", request.context},
                         {"predicted", ledger_to_json(report.predicted)},
                         {"largest_probe", report.largest_probe},
                         {"measured", nullptr},
                         {"cache", nlohmann::json::array()}};
    if (report.measured) {
        entry["measured"] = ledger_to_json(report.measured->held);
        entry["measured"]["resident_growth"] = report.measured->resident_growth;
    }
    int64_t per_token = 0;
    for (size_t i = 0; i < report.cache.size(); ++i) {
        per_token += report.cache[i].bytes(request.precision, 1, 1);
        entry["cache"].push_back(buffer_to_json(report, i));
    }
    entry["cache_bytes_per_token"] = per_token;
    entry["parts"] = nlohmann::json::array();
    for (const MemoryPart& part : report.parts) {
        entry["parts"].push_back({{"heading", part.heading},
                                  {"layer", nullptr},
                                  {"name", part.name},
                                  {"bytes", part.bytes}});
        if (part.layer >= 0) entry["parts"].back()["layer"] = part.layer;
    }
    return entry;
}

MeasuredMemory read_measurement(const nlohmann::json& report) {
    MeasuredMemory measured;
    try {
        const nlohmann::json& held = report.at("measured");
        for (const auto& [name, heading] : kMemoryHeadings)
            measured.held.*heading = held.at(std::string(name)).get<int64_t>();
        measured.resident_growth = held.at("resident_growth").get<int64_t>();
        for (const nlohmann::json& buffer : report.at("cache"))
            measured.cache.push_back(buffer.at("measured_bytes").get<int64_t>());
    } catch (const nlohmann::json::exception&) {
        throw UserError(shown(report) + " holds no measurement",
                        "expect what headroom memory --measure --json prints");
    }
    return measured;
}

}  // namespace headroom
