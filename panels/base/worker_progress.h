#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// A line of a worker that was started with --stream: how far it is, {"share": 0.25, "doing":
/// "step 5"}, or in the end what it found, {"result": ...}.
struct WorkerLine {
    double share = 0;   ///< 0 to 1
    std::string doing;  ///< "" where the worker does not say
    std::shared_ptr<const nlohmann::json> result;
};

/// UserError for a line that is neither.
WorkerLine read_worker_line(std::string_view line);

/// What is said of a line that a worker of this version does not print. Always throws UserError.
[[noreturn]] void refuse_worker_line();

}  // namespace headroom
