#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/model_config.h"
#include "core/surgery/surgery.h"

namespace headroom {

/// One thing that could be done to a model.
struct PlanLine {
    SurgeryPlan plan;
    int64_t weights_removed = 0;
    std::string why = {};    ///< the failing assumption and what mends it; "": it applies
    std::string notes = {};  ///< what stays although it applies
    /// Largest of the inverted matrices; 0: not known, or none is inverted.
    double condition = 0;

    bool applies() const { return why.empty(); }
    /// "q, layer 1", in the numbers that people see, as nothing else here; "" where the surgery is
    /// one for the whole model.
    std::string what() const;
};

/// All that one surgery could do.
struct PlanGroup {
    const Surgery* surgery = nullptr;
    std::vector<PlanLine> lines;

    size_t applicable() const;
};

/// What `headroom surgery plan [--untie]` lists, of the configuration alone. An approximate surgery
/// applies once its data are there.
std::vector<PlanGroup> build_surgery_plan(const ModelConfig& model, bool untie = false);

/// Fills in what only the weights say, from the JSON of `headroom surgery plan`. UserError unless
/// it is that of such a model.
void take_conditions(std::vector<PlanGroup>& plan, std::string_view json);

/// What `headroom` is told to carry the line out; `data` may be "".
std::vector<std::string> surgery_arguments(const PlanLine& line,
                                           const std::filesystem::path& checkpoint,
                                           const std::filesystem::path& out,
                                           const std::filesystem::path& report,
                                           const std::string& data);

/// "demo-remove-one-q-1.safetensors"
std::string suggested_file(const PlanLine& line, const std::filesystem::path& checkpoint);

}  // namespace headroom
