#include "panels/lab/lab_form.h"

#include <algorithm>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace headroom {
namespace {

template <class T>
std::string typed(const T& value) {
    if constexpr (std::is_same_v<T, std::string>)
        return value;
    else if constexpr (std::is_arithmetic_v<T>)
        return fmt::format("{}", value);
    else
        return fmt::format("{}", fmt::join(value, ","));
}

}  // namespace

std::vector<LabField> lab_fields(Experiment& experiment) {
    std::vector<LabField> fields;
    for (const LabOption& option : experiment.options())
        fields.push_back({option.name, option.help,
                          std::visit([](const auto* value) { return typed(*value); }, option.value),
                          option.choices});
    return fields;
}

std::vector<std::string> lab_arguments(Experiment& experiment,
                                       const std::vector<LabField>& fields) {
    std::vector<std::string> arguments{"lab", experiment.name()};
    const std::vector<LabField> defaults = lab_fields(experiment);
    for (const LabField& field : fields)
        if (std::find(defaults.begin(), defaults.end(), field) == defaults.end())
            arguments.push_back(fmt::format("--{}={}", field.name, field.value));
    arguments.emplace_back("--stream");
    return arguments;
}

}  // namespace headroom
