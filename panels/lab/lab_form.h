#pragma once

#include <string>
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

}  // namespace headroom
