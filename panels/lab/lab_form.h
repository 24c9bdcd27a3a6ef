#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/lab/experiment.h"

namespace headroom {

/// One line of the form that an experiment is started with.
struct LabField {
    std::string name, help;
    std::string value;                 ///< as a person would type it
    std::vector<std::string> choices;  ///< where it is one of a few words

    bool operator==(const LabField&) const = default;
};

/// The options of an experiment with their defaults.
std::vector<LabField> lab_fields(Experiment& experiment);

/// What `headroom` is told to run it: fields that are as they were are left out.
std::vector<std::string> lab_arguments(Experiment& experiment, const std::vector<LabField>& fields);

/// A line that `headroom lab NAME --stream` printed: how far it is, or the result at its end.
struct LabNews {
    double share = 0;
    std::string doing;
    std::optional<LabResult> result;
};
/// UserError for a line that is neither.
LabNews read_lab_line(std::string_view line);

}  // namespace headroom
