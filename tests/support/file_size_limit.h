#pragma once

#include <csignal>

#include <sys/resource.h>

#include "tests/support/patience.h"
#include "tests/support/watched_child.h"

namespace headroom {

/// Runs `body` in a child process whose files may not grow beyond `limit` bytes, as on a full disk,
/// and returns the body's result (0..100); more if the child crashed or did not end by itself.
template <class Body>
int with_file_size_limit(rlim_t limit, Body&& body) {
    return wait_for_child(start_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        ::alarm(60 * kPatience);
        const rlimit bound{limit, limit};
        ::setrlimit(RLIMIT_FSIZE, &bound);
        return body();
    }));
}

}  // namespace headroom
