#include "panels/surgery/surgery_plan.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

std::string letters_of(const SurgeryRequest& request) {
    std::vector<std::string> letters;
    for (const AttentionMatrix matrix : request.matrices) letters.push_back(letter_of(matrix));
    return fmt::format("{}", fmt::join(letters, ","));
}

PlanLine line_of(const ModelConfig& model, const Surgery& surgery, const SurgeryRequest& request) {
    PlanLine line{.plan = plan_surgery(model, surgery, request)};
    if (line.plan.applies())
        line.weights_removed = weights_removed(model, line.plan);
    else
        line.why = fmt::format("{}; {}", line.plan.refusal, line.plan.remedy);
    line.notes = fmt::format("{}", fmt::join(line.plan.notes, "; "));
    return line;
}

[[noreturn]] void refuse() {
    throw UserError("the worker's plan is not of this model", "choose the checkpoint again");
}

}  // namespace

std::string PlanLine::what() const {
    const SurgeryRequest& request = plan.request;
    std::string text = letters_of(request);
    if (request.layer)
        text += fmt::format("{}layer {}", text.empty() ? "" : ", ", shown_number(*request.layer));
    return text;
}

size_t PlanGroup::applicable() const {
    return static_cast<size_t>(
        std::count_if(lines.begin(), lines.end(), [](const auto& line) { return line.applies(); }));
}

std::vector<PlanGroup> build_surgery_plan(const ModelConfig& model, bool untie) {
    std::vector<PlanGroup> groups;
    for (const Surgery& surgery : surgeries()) {
        PlanGroup group{&surgery, {}};
        for (SurgeryRequest request : surgery.requests(model)) {
            request.untie = untie;
            group.lines.push_back(line_of(model, surgery, request));
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

void take_conditions(std::vector<PlanGroup>& plan, std::string_view json) {
    const nlohmann::json document = parse_json(json, "the worker's plan");
    if (!document.is_object() || !document.contains("transforms") ||
        !document["transforms"].is_array())
        refuse();
    const nlohmann::json& rows = document["transforms"];
    std::vector<PlanGroup> told = plan;
    size_t at = 0;
    for (PlanGroup& group : told)
        for (PlanLine& line : group.lines) {
            if (at == rows.size() || !rows[at].is_object()) refuse();
            const nlohmann::json& row = rows[at++];
            const nlohmann::json none, reason = row.value("reason", none),
                                       condition = row.value("condition", none);
            if (row.value("name", none) != group.surgery->name || !reason.is_string()) refuse();
            line.why = reason.get<std::string>();
            line.condition = condition.is_number() ? condition.get<double>() : 0;
        }
    if (at != rows.size()) refuse();
    plan = std::move(told);
}

std::vector<std::string> surgery_arguments(const PlanLine& line,
                                           const std::filesystem::path& checkpoint,
                                           const std::filesystem::path& out,
                                           const std::filesystem::path& report,
                                           const std::string& data) {
    std::vector<std::string> arguments{"surgery",     "apply",        "--checkpoint", checkpoint,
                                       "--transform", line.plan.name, "--out",        out,
                                       "--report",    report};
    const auto add = [&](const char* option, std::string value) {
        arguments.emplace_back(option);
        arguments.push_back(std::move(value));
    };
    const SurgeryRequest& request = line.plan.request;
    if (!request.matrices.empty()) add("--matrix", letters_of(request));
    if (request.layer) add("--layer", fmt::to_string(*request.layer));
    if (!data.empty()) add("--data", data);
    if (request.untie) arguments.emplace_back("--untie");
    return arguments;
}

std::string suggested_file(const PlanLine& line, const std::filesystem::path& checkpoint) {
    std::string name = fmt::format("{}-{}", checkpoint.stem().string(), line.plan.name);
    for (const AttentionMatrix matrix : line.plan.request.matrices)
        name += fmt::format("-{}", letter_of(matrix));
    if (line.plan.request.layer) name += fmt::format("-{}", *line.plan.request.layer);
    return name + ".safetensors";
}

}  // namespace headroom
