#include "core/train/initial_weights.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/conversions.h"
#include "core/config/job_keys.h"
#include "core/surgery/norm_surgery.h"
#include "core/surgery/rewire_model.h"
#include "core/surgery/uptrain_model.h"
#include "core/weights/checkpoint_weights.h"

namespace headroom {
namespace {

/// Leaves the fault with the file, the mending with the job.
void check_shapes(const std::string& path, const std::vector<ParameterSpec>& given,
                  const std::vector<ParameterSpec>& needed) {
    const std::string mend =
        "give the job the model keys of the file (headroom describe "
        "--checkpoint), or convert the file (train.init_convert)";
    std::map<std::string_view, const Shape*> shapes;
    for (const ParameterSpec& spec : given) shapes[spec.name] = &spec.shape;
    for (const ParameterSpec& spec : needed) {
        const auto found = shapes.find(spec.name);
        if (found == shapes.end())
            throw UserError(fmt::format("train.init_from = {} has no tensor {}", path, spec.name),
                            mend);
        if (*found->second != spec.shape)
            throw UserError(
                fmt::format("train.init_from = {}: tensor {} has shape {}, the model needs {}",
                            path, spec.name, to_string(*found->second), to_string(spec.shape)),
                mend);
        shapes.erase(found);
    }
    if (!shapes.empty())
        throw UserError(fmt::format("train.init_from = {} has the tensor {}, which the model lacks",
                                    path, shapes.begin()->first),
                        mend);
}

/// The shapes agree: what else makes the same weights another model. Where heads come from is
/// compared as a table.
std::vector<std::string> meaning_differences(const ModelConfig& model, const ModelConfig& file) {
    std::vector<std::string> differences;
    for (const KeyDifference& key : key_differences(file, model))
        if (key.field->concern == Concern::kFunction)
            differences.push_back(
                fmt::format("{} = {}, in the file {}", key.field->path, key.after, key.before));
    if (model.wiring != file.wiring)
        differences.emplace_back("keys or values come from other heads");
    return differences;
}

/// Says it to a job, which has other words for what to do than a surgery.
void check_frozen(const SurgeryPlan& plan, const ModelConfig& file, const Job& job) {
    if (plan.applies()) return;
    SurgeryRequest untied = plan.request;
    untied.untie = true;
    const bool unties = job.model.tie &&
                        plan_freeze_norms(file, job.model.norm, job.model.norm_f, untied).applies();
    throw UserError(fmt::format("train.init_convert = freeze_norms does not apply to {}: {}",
                                job.train.init_from, plan.refusal),
                    unties ? "untie the head (model.tie = false)"
                           : "keep that norm in model.norm and model.norm_f, or leave "
                             "train.init_convert out");
}

/// Norms that the model lacks become their average scale.
std::shared_ptr<const WeightSource> with_frozen_norms(
    const std::shared_ptr<const WeightSource>& source, const Job& job,
    const InitialWeights::NormScales& scales) {
    const ModelConfig& file = source->config();
    SurgeryRequest request{.untie = file.tie && !job.model.tie};
    if (scales) request.norm_scales = scales(*source);
    const SurgeryPlan plan = plan_freeze_norms(file, job.model.norm, job.model.norm_f, request);
    check_frozen(plan, file, job);
    return operated(source, plan);
}

/// train.init_convert names the way, the model's keys the end of it.
std::shared_ptr<const WeightSource> converted(std::shared_ptr<const WeightSource> source,
                                              const Job& job,
                                              const InitialWeights::NormScales& scales) {
    const std::string& way = job.train.init_convert;
    if (way == "none") return source;
    if (way == "freeze_norms") return with_frozen_norms(source, job, scales);
    return converted_weights(std::move(source), job.model, way);
}

}  // namespace

std::shared_ptr<const WeightSource> converted_weights(std::shared_ptr<const WeightSource> weights,
                                                      const ModelConfig& wanted,
                                                      const std::string& way) {
    const Conversion& conversion = find_wiring_conversion(way);
    if (conversion.name == kRewire) return rewire(std::move(weights), wanted);
    if (conversion.target == "skipv1") return uptrain_to(std::move(weights), way, wanted);
    return uptrain(std::move(weights), {way, wanted.n_kv_head});
}

void check_conversion(const ModelConfig& given, const ModelConfig& wanted, const std::string& way) {
    const Conversion& conversion = find_wiring_conversion(way);
    if (conversion.name == kRewire) return check_rewire(given, wanted);
    if (conversion.target == "skipv1") return check_uptrain_to(given, way, wanted);
    if (uptrained_config(given, {way, wanted.n_kv_head}).wiring != wanted.wiring)
        throw UserError(fmt::format("{} makes another wiring than this", way),
                        "use rewire, or draw what it makes");
}

InitialWeights InitialWeights::open(const Job& job, const NormScales& scales) {
    const std::string& path = job.train.init_from;
    InitialWeights initial{converted(open_weights(path), job, scales), {}};
    check_shapes(path, initial.weights->specs(), parameter_specs(job.model));
    initial.differences = meaning_differences(job.model, initial.weights->config());
    return initial;
}

}  // namespace headroom
