#pragma once

#include <string>
#include <vector>

#include "app/doctor/probes.h"

namespace headroom {

/// Words that must not stand in what a person sends to others.
struct PersonalWords {
    std::string user, host;
};

/// Of this process.
PersonalWords personal_words();

/// `text` without them: paths become the last part of their name, the user's and the machine's name
/// a dash.
std::string without_personal(const std::string& text, const PersonalWords& words);

/// One text for an issue: build, system, processor, libraries, display, GPUs, disk and the
/// variables that change how the program computes. Holds no path and no name of a person or
/// machine.
std::string doctor_report(const std::vector<Finding>& findings, const PersonalWords& words);

}  // namespace headroom
