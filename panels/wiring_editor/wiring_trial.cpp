#include "panels/wiring_editor/wiring_trial.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/conversions.h"
#include "core/train/initial_weights.h"
#include "panels/base/number_format.h"
#include "panels/base/worker_progress.h"

namespace headroom {

namespace {

std::string refusal_of_way(const ModelConfig& trained, const ModelConfig& drawn,
                           const ProjectedHeads& projected, const std::string& way) {
    try {
        check_projected(drawn.wiring, projected);
        check_conversion(trained, drawn, way);
        return "";
    } catch (const UserError& error) {
        return error.what();
    }
}

double number_of(const nlohmann::json& document, const char* key) {
    if (!document.contains(key) || !document.at(key).is_number()) refuse_worker_line();
    return document.at(key).get<double>();
}

}  // namespace

bool TrialRun::operator==(const TrialRun& other) const {
    return id == other.id && name == other.name && folder == other.folder && step == other.step &&
           (job == other.job || *job == *other.job);
}

std::vector<TrialWay> trial_ways(const ModelConfig& trained, const ModelConfig& drawn,
                                 const ProjectedHeads& projected) {
    std::vector<TrialWay> ways{{"rewire", "as they are", ""}};
    for (const Conversion& conversion : conversions())
        if (!conversion.target.empty())
            ways.push_back({std::string(conversion.name), std::string(conversion.title), ""});
    for (TrialWay& way : ways) way.refusal = refusal_of_way(trained, drawn, projected, way.name);
    return ways;
}

std::vector<std::string> trial_arguments(const TrialRun& run, const std::string& way,
                                         int64_t sequences, const std::filesystem::path& table,
                                         const std::filesystem::path& out) {
    return {"probe",
            "wiring",
            run.folder.string(),
            "--step",
            fmt::to_string(run.step),
            "--wiring",
            table.string(),
            "--convert",
            way,
            "--batch-size",
            fmt::to_string(sequences),
            "--out",
            out.string(),
            "--stream"};
}

WiringTrial read_trial(const nlohmann::json& result) {
    if (!result.is_object()) refuse_worker_line();
    WiringTrial trial;
    trial.loss = number_of(result, "loss");
    trial.rewired = number_of(result, "rewired");
    trial.sequences = static_cast<int64_t>(number_of(result, "sequences"));
    trial.seq_len = static_cast<int64_t>(number_of(result, "seq_len"));
    if (result.contains("standard_error") && result.at("standard_error").is_number())
        trial.standard_error = result.at("standard_error").get<double>();
    return trial;
}

std::string trial_words(const WiringTrial& trial) {
    const std::string error =
        trial.standard_error ? fmt::format(" ± {:.4f}", *trial.standard_error) : "";
    const std::string change = with_minus_signs(fmt::format("{:+.4f}", trial.rewired - trial.loss));
    return fmt::format("loss {:.4f} → {:.4f}: {}{} nats per token, in {} of {} tokens", trial.loss,
                       trial.rewired, change, error,
                       trial.sequences == 1 ? std::string("1 sequence")
                                            : fmt::format("{} sequences", trial.sequences),
                       trial.seq_len);
}

}  // namespace headroom
