#include "panels/details/run_details.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/account/flops.h"
#include "core/account/kv_cache.h"
#include "core/account/parameter_count.h"
#include "core/config/job_json.h"
#include "core/config/schema.h"
#include "panels/base/number_format.h"

namespace headroom {

namespace {

DetailSection status_section(const Run& run) {
    const RunStatus& status = run.status;
    DetailSection section{"Run", {}};
    const auto add = [&](const char* name, std::string value) {
        section.lines.push_back({name, std::move(value)});
    };
    add("folder", run.folder.string());
    add("state", std::string(name_of(effective_phase(run))));
    if (!status.problem.empty()) add("problem", status.problem);
    add("step", status.steps > 0 ? fmt::format("{} of {}", format_integer(status.step),
                                               format_integer(status.steps))
                                 : format_integer(status.step));
    const bool images = run.job && run.job->model.reads_images();
    const std::string unit = images ? " nats/image" : " nats/token";
    if (!std::isnan(status.loss)) add("loss", format_loss(status.loss) + unit);
    if (!std::isnan(status.val_loss)) add("validation loss", format_loss(status.val_loss) + unit);
    if (!std::isnan(status.val_accuracy))
        add("validation accuracy", fmt::format("{:.2f} %", 100 * status.val_accuracy));
    if (status.seconds > 0) add("worked for", format_duration(status.seconds));
    if (!run.started.empty()) add("last started", run.started);
    return section;
}

/// "model" as "Model".
std::string heading_of(std::string section) {
    section[0] = static_cast<char>(section[0] - 'a' + 'A');
    return section;
}

}  // namespace

DetailSection build_counts(const ModelConfig& model, int64_t seq_len) {
    DetailSection section{"Counts", {}};
    const CacheCount cache = count_cache(model);
    if (model.vocab_size > 0) {
        const ParameterCount count = count_parameters(model);
        section.lines.push_back({"parameters", format_integer(count.total)});
        if (count.active != count.total)
            section.lines.push_back({"active per token", format_integer(count.active)});
        section.lines.push_back({"non-embedding", format_integer(count.non_embedding)});
        const FlopCount flops = count_flops(model, seq_len);
        section.lines.push_back(
            {"training FLOPs/token", format_count(static_cast<double>(flops.training()))});
    }
    section.lines.push_back(
        {"KV cache/token", cache.decodable
                               ? format_bytes(cache.bytes_per_token(DType::kBF16)) + " in bfloat16"
                               : "none: an encoder"});
    if (cache.unshared_numbers_per_token > 0) {
        const double saved = 1.0 - static_cast<double>(cache.numbers_per_token) /
                                       static_cast<double>(cache.unshared_numbers_per_token);
        if (saved > 0) section.lines.push_back({"saved by sharing", format_percent(saved)});
    }
    return section;
}

std::vector<DetailSection> build_job_keys(const Job& job) {
    const nlohmann::json document = to_json(job);
    std::vector<DetailSection> sections;
    for (const Field& field : job_schema()) {
        const std::string section = field.section();
        const nlohmann::json& keys = section.empty() ? document : document.at(section);
        if (!keys.contains(field.key())) continue;
        const nlohmann::json& value = keys.at(field.key());
        if (value.is_null() || (value.is_array() && value.empty())) continue;
        const std::string title = section.empty() ? "Job" : heading_of(section);
        if (sections.empty() || sections.back().title != title) sections.push_back({title, {}});
        sections.back().lines.push_back(
            {field.key(), value.is_string() ? value.get<std::string>() : value.dump()});
    }
    return sections;
}

std::vector<DetailSection> build_run_details(const Run& run) {
    std::vector<DetailSection> sections{status_section(run)};
    if (!run.job) return sections;
    sections.push_back(build_counts(run.job->model, run.job->train.seq_len));
    for (DetailSection& section : build_job_keys(*run.job)) sections.push_back(std::move(section));
    return sections;
}

}  // namespace headroom
