#pragma once

#include <string>

namespace headroom {

/// How a worker process ended.
struct WorkerEnd {
    bool crashed = false;  ///< by a signal
    int status = 0;        ///< its exit status, or the signal
    std::string errors;    ///< what it wrote on standard error

    bool well() const { return !crashed && status == 0; }
};

/// One line on why a worker failed: its last "error: …" without that word or, where it wrote none,
/// how it ended. "" if it ended well.
std::string worker_problem(const WorkerEnd& end);

}  // namespace headroom
