#include "app/surgery/surgery_json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_numbers.h"
namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

double greatest_condition(const SurgeryPlan& plan, SurgeryNumbers& numbers) {
    double greatest = plan.basis_condition;
    for (const InvertedMatrix& inverted : numbers.inverted(plan))
        greatest = std::max(greatest, inverted.condition);
    return greatest;
}

Json to_json(const NumberDifference& difference) {
    return {{"max_difference", number_or_null(difference.greatest)},
            {"spread", number_or_null(difference.spread)},
            {"relative", number_or_null(difference.relative())}};
}

}  // namespace

Json matrix_of(const SurgeryRequest& request) {
    std::string letters;
    for (const AttentionMatrix matrix : request.matrices)
        letters += (letters.empty() ? "" : ",") + letter_of(matrix);
    return letters.empty() ? Json(nullptr) : Json(letters);
}

Json layer_of(const SurgeryRequest& request) {
    return request.layer ? Json(*request.layer) : Json(nullptr);
}

Json plan_row(const ModelConfig& model, const SurgeryPlan& plan, SurgeryNumbers* numbers) {
    std::string reason = plan.applies() ? "" : fmt::format("{}; {}", plan.refusal, plan.remedy);
    Json condition = nullptr;
    if (reason.empty() && numbers != nullptr) {
        reason = numbers->refusal(plan);
        const double greatest = greatest_condition(plan, *numbers);
        if (greatest > 0) condition = number_or_null(greatest);
    }
    const bool applies = reason.empty();
    return {{"name", plan.name},
            {"matrix", matrix_of(plan.request)},
            {"layer", layer_of(plan.request)},
            {"applies", applies},
            {"reason", reason},
            {"weights_removed", applies ? weights_removed(model, plan) : 0},
            {"condition", condition},
            {"exact", find_surgery(plan.name).exact},
            {"notes", plan.notes}};
}

Json to_json(const SurgeryDifference& difference) {
    if (!difference.missing.empty()) return {{"missing", difference.missing}};
    Json document{{"logits", to_json(difference.logits)}};
    Json layers = Json::array();
    for (size_t i = 0; i < difference.streams.size(); ++i) {
        Json row{{"layer", static_cast<int>(i) - 1}};
        row.update(to_json(difference.streams[i]));
        layers.push_back(std::move(row));
    }
    document["streams"] = std::move(layers);
    return document;
}

}  // namespace headroom
