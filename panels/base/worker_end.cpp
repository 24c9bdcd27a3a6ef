#include "panels/base/worker_end.h"

#include <fmt/format.h>

namespace headroom {

std::string worker_problem(const WorkerEnd& end) {
    if (end.well()) return "";
    constexpr std::string_view kMark = "\nerror: ";
    const std::string lines = "\n" + end.errors;
    const size_t at = lines.rfind(kMark);
    if (at != std::string::npos) {
        const size_t first = at + kMark.size() - 1;
        return end.errors.substr(first, end.errors.find('\n', first) - first);
    }
    if (end.crashed)
        return fmt::format(
            "the worker was ended by signal {}; it may need more memory than there is", end.status);
    return fmt::format("the worker ended with status {}", end.status);
}

}  // namespace headroom
