#include "core/probe/probe_kind.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/model/objective_data.h"

namespace headroom {
namespace {

nlohmann::ordered_json nested(const NumberArray& array, size_t dimension, size_t& at) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (int64_t i = 0; i < array.shape[dimension]; ++i)
        if (dimension + 1 == array.shape.size())
            list.push_back(array.values[at++]);  // NaN becomes null
        else
            list.push_back(nested(array, dimension + 1, at));
    return list;
}

}  // namespace

const std::vector<ProbeSchema>& probe_schemas() {
    static const std::vector<ProbeSchema> schemas = [] {
        std::vector<ProbeSchema> all;
        for (const ProbeKind& kind : probe_kinds()) all.push_back(kind.schema);
        return all;
    }();
    return schemas;
}

const ProbeKind& find_probe_kind(const std::string& name) {
    const ProbeSchema* schema = find_probe_schema(name);
    CHECK(schema != nullptr, name + " is no kind of probe");
    return probe_kinds()[static_cast<size_t>(schema - probe_schemas().data())];
}

ProbeShape live_probe_shape(const Job& job, const ProbeConfig& config) {
    return {config.batch_size, config.seq_len > 0 ? config.seq_len : job.train.seq_len,
            job.precision};
}

int64_t probe_bytes(const Job& job, const ProbeConfig& config, int threads) {
    const ProbeKind& kind = find_probe_kind(config.kind);
    if (kind.bytes != nullptr) return kind.bytes(job, config, threads);
    return ProbePass::memory(job.model, live_probe_shape(job, config), kind.taps(job.model),
                             threads)
        .total;
}

void ProbeTask::check_going() const {
    if (keep_going && !keep_going()) throw EnvironmentError("stopped before it was done");
}

Batch ProbeTask::asked() const {
    if (images != nullptr) return *images;
    return objective_batch(job.train, weights.config(), tokens.ids, tokens.seq_len);
}

void run_asked_passes(const ProbeTask& task, const ProbeTaps& taps,
                      const std::function<void(const ProbePass&, std::span<const int32_t>)>& use) {
    const Batch asked = task.asked();
    ProbePass pass(task.weights.config(), task.shape(), taps, task.device);
    pass.load(task.weights);
    Batch part = asked.with_rows(task.pass_rows);
    for (int64_t first = 0; first < asked.batch_size(); first += task.pass_rows) {
        part.copy_rows(asked, first);
        pass.run(part);
        use(pass, std::as_const(part).targets());
    }
}

void run_passes(const ProbeTask& task, const ProbeTaps& taps,
                const std::function<void(const ProbePass&, std::span<const int32_t>)>& use) {
    ProbePass pass(task.weights.config(), task.shape(), taps, task.device);
    pass.load(task.weights);
    const auto count = static_cast<size_t>(task.pass_rows * task.tokens.seq_len);
    for (size_t first = 0; first < task.tokens.ids.size(); first += count) {
        const auto tokens = std::span(task.tokens.ids).subspan(first, count);
        if (task.images == nullptr) {
            pass.run(tokens);
        } else {
            Batch part = task.images->with_rows(task.pass_rows);
            part.copy_rows(*task.images, static_cast<int64_t>(first) / task.tokens.seq_len);
            pass.run(part);
        }
        use(pass, tokens);
    }
}

nlohmann::ordered_json to_json(const NumberArray& array) {
    size_t at = 0;
    return nested(array, 0, at);
}

nlohmann::ordered_json to_json(const NumberArrays& arrays) {
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const auto& [name, array] : arrays) object[name] = to_json(array);
    return object;
}

}  // namespace headroom
