#include "panels/lab/lab_form.h"

#include <algorithm>
#include <regex>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "panels/base/form_words.h"

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
    for (const LabField& field : fields) {
        if (std::find(defaults.begin(), defaults.end(), field) != defaults.end()) continue;
        // The command would take the argument that follows for the value.
        if (field.value.find_first_not_of(", ") == std::string::npos)
            throw UserError(fmt::format("--{} is empty", field.name), "give it a value");
        arguments.push_back(fmt::format("--{}={}", field.name, field.value));
    }
    arguments.emplace_back("--stream");
    return arguments;
}

std::string other_options(const std::vector<LabField>& of, const std::vector<LabField>& now) {
    std::vector<std::string> others;
    for (size_t i = 0; i < std::min(of.size(), now.size()); ++i)
        if (of[i] != now[i]) others.push_back(fmt::format("{} = {}", of[i].name, of[i].value));
    return fmt::format("{}", fmt::join(others, ", "));
}

LabRefusal lab_refusal(std::string_view problem) {
    static const std::regex see("; see headroom .*--help$"), option("--([a-z][a-z0-9-]*)");
    const std::string said = std::regex_replace(std::string(problem), see, "");
    LabRefusal refusal{form_words(problem), {}};
    for (std::sregex_iterator each(said.begin(), said.end(), option), end; each != end; ++each)
        refusal.names.push_back((*each)[1]);
    return refusal;
}

}  // namespace headroom
