#pragma once

#include <string>
#include <vector>

namespace headroom {

/// What the doctor found out about one thing that the program uses.
struct Finding {
    enum class Status { kOk, kMissing, kOptional };  ///< kOptional: absent, and that is fine
    std::string name;                                ///< "cpu", "hdf5", …
    Status status = Status::kOk;
    std::string value;
    std::string hint;  ///< how to get it, where something is absent
};

std::string name_of(Finding::Status status);

int64_t usable_cores();
int64_t memory_bytes();

/// Looks at this machine; opens libraries with dlopen and the display with a short-lived
/// connection.
std::vector<Finding> examine_machine();

}  // namespace headroom
