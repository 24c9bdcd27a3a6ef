#pragma once

#include <algorithm>
#include <cstdint>

#include <omp.h>

namespace headroom {

/// Number of threads that kernels use.
inline int cpu_threads() {
    return omp_get_max_threads();
}

/// Calls f(begin, end) on disjoint pieces that cover [0, count), one piece per thread, at least
/// `grain` long. Pieces depend on the number of threads only: f must give the same result for any
/// cut, so that results do not depend on the number of threads. Inside a parallel region it runs
/// everything on the calling thread.
template <class F>
void parallel_for(int64_t count, int64_t grain, F&& f) {
    const int64_t pieces =
        std::min<int64_t>(cpu_threads(), (count + grain - 1) / std::max<int64_t>(grain, 1));
    if (pieces <= 1 || omp_in_parallel()) {
        if (count > 0) f(int64_t{0}, count);
        return;
    }
#pragma omp parallel for schedule(static, 1) num_threads(static_cast <int>(pieces))
    for (int64_t piece = 0; piece < pieces; ++piece)
        f(count * piece / pieces, count * (piece + 1) / pieces);
}

/// Calls f(task, thread) for every task in [0, count), handed out one by one: for few, large tasks
/// of unequal cost. thread < cpu_threads() selects a slice of the workspace.
template <class F>
void parallel_tasks(int64_t count, F&& f) {
    if (count <= 1 || omp_in_parallel()) {
        for (int64_t task = 0; task < count; ++task) f(task, 0);
        return;
    }
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t task = 0; task < count; ++task) f(task, omp_get_thread_num());
}

}  // namespace headroom
