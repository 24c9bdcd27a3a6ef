#include "panels/base/worker_end.h"

#include <fmt/format.h>

namespace headroom {

std::string worker_problem(const WorkerEnd& end) {
    if (end.well()) return "";
    constexpr std::string_view kMark = "error: ";
    const size_t at = ("\n" + end.errors).rfind("\n" + std::string(kMark));
    if (at != std::string::npos) {
        const size_t first = at + kMark.size();
        return end.errors.substr(first, end.errors.find('\n', first) - first);
    }
    if (end.crashed)
        return fmt::format(
            "the worker was ended by signal {}; it may need more memory than there is", end.status);
    return fmt::format("the worker ended with status {}", end.status);
}

}  // namespace headroom
