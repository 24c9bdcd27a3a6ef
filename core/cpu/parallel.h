#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>

#include <omp.h>

namespace headroom {

/// Number of threads that kernels use.
inline int cpu_threads() {
    return omp_get_max_threads();
}

/// An exception that leaves a parallel region ends the program: the first one is carried out of it.
class CarriedException {
  public:
    template <class F>
    void guard(F&& f) noexcept {
        try {
            f();
        } catch (...) {
#pragma omp critical(headroom_carried_exception)
            if (!first_) first_ = std::current_exception();
        }
    }
    /// After the region.
    void rethrow() const {
        if (first_) std::rethrow_exception(first_);
    }

  private:
    std::exception_ptr first_;
};

/// Calls f(begin, end) on disjoint pieces that cover [0, count), about `grain` long or longer: some
/// for each thread, handed out one by one, since one core may be slower than another for a while.
/// Pieces depend on the number of threads only: f must give the same result for any cut, so that
/// results do not depend on the number of threads. Inside a parallel region it runs everything on
/// the calling thread. What f throws comes out when every piece has ended.
template <class F>
void parallel_for(int64_t count, int64_t grain, F&& f) {
    constexpr int64_t kPiecesPerThread = 4;  // as many for each: no last round of few
    const int64_t grains = (count + grain - 1) / std::max<int64_t>(grain, 1);
    const int threads = static_cast<int>(std::min<int64_t>(grains, cpu_threads()));
    if (threads <= 1 || omp_in_parallel()) {
        if (count > 0) f(int64_t{0}, count);
        return;
    }
    const int64_t pieces = threads * std::min(grains / threads, kPiecesPerThread);
    CarriedException thrown;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t piece = 0; piece < pieces; ++piece)
        thrown.guard([&] { f(count * piece / pieces, count * (piece + 1) / pieces); });
    thrown.rethrow();
}

/// Calls f(task, thread) for every task in [0, count), handed out one by one: for few, large tasks
/// of unequal cost. thread < cpu_threads() selects a slice of the workspace. What f throws comes
/// out when every task has ended.
template <class F>
void parallel_tasks(int64_t count, F&& f) {
    if (count <= 1 || omp_in_parallel()) {
        for (int64_t task = 0; task < count; ++task) f(task, 0);
        return;
    }
    CarriedException thrown;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t task = 0; task < count; ++task)
        thrown.guard([&] { f(task, omp_get_thread_num()); });
    thrown.rethrow();
}

}  // namespace headroom
