#pragma once

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

/// What `headroom` is told to run it: fields that are as they were are left out. UserError, in the
/// command's words, for one that is empty.
std::vector<std::string> lab_arguments(Experiment& experiment, const std::vector<LabField>& fields);

/// What differs in `now` from what a result is of, with the values that it is of: "matrices = 8,
/// eps = 0.1"; "" where nothing does.
std::string other_options(const std::vector<LabField>& of, const std::vector<LabField>& now);

/// Why a worker did not do what it was told, as a form says it.
struct LabRefusal {
    std::string words;               ///< "matrices = 0 is out of range; give 1 to 1000"
    std::vector<std::string> names;  ///< of the options that it names, in its order
};

/// From what the command says, which is of a command line: "--matrices 0 is out of range; ...".
LabRefusal lab_refusal(std::string_view problem);

}  // namespace headroom
