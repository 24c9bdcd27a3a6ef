#include "core/config/objective_json.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/field_binding.h"

namespace headroom {
namespace {

constexpr std::array<std::string_view, 3> kKeys{"train.objective", "train.mask_rate",
                                                "train.mask_span"};

/// Calls f(bound) for each of the keys.
template <class F>
void each_key(F&& f) {
    for (const BoundField& bound : bound_fields())
        if (std::find(kKeys.begin(), kKeys.end(), bound.field.path) != kKeys.end()) f(bound);
}

}  // namespace

std::string objective_json(const TrainConfig& train) {
    Job job;
    job.train = train;
    nlohmann::json keys = nlohmann::json::object();
    each_key([&](const BoundField& bound) { keys[bound.field.key()] = bound.get(job); });
    return dump_text(keys);
}

void read_objective(const std::string& text, const std::string& source, TrainConfig& train) {
    const std::string where = source + ", objective";
    const nlohmann::json keys = parse_json(text, where);
    if (!keys.is_object())
        throw UserError(where + " is no JSON object", "take the file from its source again");
    Job job;
    job.train = train;
    each_key([&](const BoundField& bound) {
        const auto found = keys.find(bound.field.key());
        if (found == keys.end()) return;
        try {
            check_value(bound.field, *found);
        } catch (const UserError& error) {
            throw UserError(fmt::format("{}: {}", where, error.what()));
        }
        bound.set(job, *found);
    });
    train = job.train;
}

}  // namespace headroom
