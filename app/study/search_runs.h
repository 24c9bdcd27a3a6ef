#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace headroom {

/// UserError where the study has a search whose budget no wiring comes down to.
void check_search(const std::filesystem::path& study_dir);

/// Adds to the study what its search wants next (core/search/successive_halving.h): candidates as
/// runs of their own, more steps for those that go on, further seeds of the finalists. Everything
/// goes through study.json, so that what the file lists is what is trained. `say` gets a line about
/// the stage that begins, or about how the search ended. False where nothing was added: there is no
/// search, it is done, or runs that it waits for have failed or were stopped. UserError where
/// nothing can be found within the budget.
bool queue_search_runs(const std::filesystem::path& study_dir,
                       const std::function<void(const std::string&)>& say);

}  // namespace headroom
