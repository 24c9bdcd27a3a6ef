#include "app/absorb/absorption_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/json_numbers.h"
namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

std::string column(const std::optional<double>& value) {
    return value ? fmt::format("{:.4g}", *value) : "-";
}

Json to_json(const NamedAbsorption& one) {
    const Absorption& answer = one.answer;
    Json entry = Json::object();
    if (one.layer) entry["layer"] = *one.layer;
    entry["decision"] = name_of(answer.decision);
    entry["set"] = answer.set;
    entry["residual"] = number_or_null(answer.residual);
    entry["relative_residual"] = number_or_null(answer.relative_residual);
    entry["coefficients"] = answer.coefficients;
    entry["coefficient_distance"] = number_or_null(answer.coefficient_distance);
    entry["theorem"] = answer.theorem;
    entry["reason"] = answer.reason;
    entry["tolerance"] = answer.tolerance;
    entry["rank"] = answer.rank;
    entry["smallest_pivot"] = answer.smallest_pivot;
    entry["assumptions"] = answer.assumptions;
    if (one.mlp_alone) entry["mlp_alone"] = name_of(*one.mlp_alone);
    if (answer.witness) entry["witness"] = to_json(*answer.witness);
    return entry;
}

}  // namespace

Json to_json(const Witness& witness) {
    return {{"lambda", witness.lambda},
            {"with_skip", witness.with_skip},
            {"without_skip", witness.without_skip},
            {"limit", witness.limit}};
}

Json to_json(const std::vector<NamedAbsorption>& all) {
    Json document = all.size() == 1 ? to_json(all.front()) : Json::object();
    Json mlps = Json::array();
    for (const NamedAbsorption& one : all) mlps.push_back(to_json(one));
    document["mlps"] = std::move(mlps);
    return document;
}

std::string absorption_table(const std::vector<NamedAbsorption>& all) {
    std::string text = fmt::format("{:>5}  {:<10} {:>10} {:>10} {:>14} {:>9}\n", "layer",
                                   "decision", "residual", "relative", "from 0 or 1", "neurons");
    std::vector<std::string> notes;
    for (const NamedAbsorption& one : all) {
        const Absorption& answer = one.answer;
        const std::string set = answer.set.empty() ? "-" : fmt::format("{}", answer.set.size());
        text += fmt::format("{:>5}  {:<10} {:>10} {:>10} {:>14} {:>9}\n",
                            one.layer ? fmt::to_string(*one.layer) : "-", name_of(answer.decision),
                            column(answer.residual), column(answer.relative_residual),
                            column(answer.coefficient_distance), set);
        const std::string note =
            fmt::format("{}: {} ({})", name_of(answer.decision), answer.reason, answer.theorem);
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
    for (const std::string& note : notes) text += note + "\n";
    return text;
}

}  // namespace headroom
