#pragma once

#include <string>
#include <vector>

namespace headroom {

struct SurgeryTableArguments {
    std::vector<std::string> presets{"pythia-6.9b-skipless", "mistral-7b-skipless"};
    bool json = false;
};

/// Graef's table (section 3): the weights of each model by part, and without W_Q and W_O. Says
/// whether that removal is exact: of parallel blocks it is not.
void print_surgery_table(const SurgeryTableArguments& arguments);

}  // namespace headroom
