#include "core/base/file_limit.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/support/watched_child.h"

namespace headroom {
namespace {

constexpr rlim_t kMost = 1 << 20;

/// What becomes of the limit in a process that begins with `soft`.
bool becomes(rlim_t soft,
             const std::function<bool(const rlimit& before, const rlimit& after)>& as) {
    return wait_for_child(start_child([&] {
               rlimit before{}, after{};
               ::getrlimit(RLIMIT_NOFILE, &before);
               before.rlim_cur = std::min(soft, before.rlim_max);
               ::setrlimit(RLIMIT_NOFILE, &before);
               raise_open_file_limit();
               ::getrlimit(RLIMIT_NOFILE, &after);
               return as(before, after) ? 0 : 1;
           })) == 0;
}

TEST(OpenFileLimit, RisesToWhatMayBeAskedFor) {
    EXPECT_TRUE(becomes(64, [](const rlimit& before, const rlimit& after) {
        return after.rlim_cur == std::min(before.rlim_max, kMost) &&
               after.rlim_max == before.rlim_max;
    }));
}

TEST(OpenFileLimit, NeverFalls) {
    EXPECT_TRUE(becomes(RLIM_INFINITY, [](const rlimit& before, const rlimit& after) {
        return after.rlim_cur == before.rlim_cur;
    }));
}

}  // namespace
}  // namespace headroom
