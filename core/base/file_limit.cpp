#include "core/base/file_limit.h"

#include <algorithm>

#include <sys/resource.h>

namespace headroom {

void raise_open_file_limit() {
    // Containers allow a thousand times as many; programs that close all there may be, one by one,
    // before they start another (MPI does) would take minutes for it.
    constexpr rlim_t kMost = 1 << 20;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    const rlim_t wanted = std::min(limit.rlim_max, kMost);
    if (limit.rlim_cur >= wanted) return;
    limit.rlim_cur = wanted;
    ::setrlimit(RLIMIT_NOFILE, &limit);  // else it stays as it was
}

}  // namespace headroom
