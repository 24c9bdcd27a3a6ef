#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headroom {

/// A published training recipe: what a job's train section starts from when it names one in
/// train.recipe. Keys that the job gives win.
struct Recipe {
    std::string name;
    std::string help;  ///< one line: whose, and what it leaves to the job
    std::string keys;  ///< JSON object of train keys
};

const std::vector<Recipe>& recipes();

/// The recipe of this name, or nullptr.
const Recipe* find_recipe(std::string_view name);

}  // namespace headroom
