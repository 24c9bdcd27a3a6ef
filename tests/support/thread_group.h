#pragma once

#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/device/process_group.h"

namespace headroom {

/// A process group made of threads, for tests: each thread calls `work` with its own member.
class ThreadGroup {
  public:
    static void run(int size, const std::function<void(ProcessGroup&)>& work) {
        Shared shared(size);
        std::vector<std::thread> threads;
        for (int rank = 0; rank < size; ++rank)
            threads.emplace_back([&, rank] {
                Member member(rank, shared);
                work(member);
            });
        for (std::thread& thread : threads) thread.join();
    }

  private:
    struct Shared {
        explicit Shared(int members)
            : size(members), barrier(members), places(static_cast<size_t>(members)) {}
        int size;
        std::barrier<> barrier;
        std::vector<void*> places;  ///< of each member's values
    };

    class Member : public ProcessGroup {
      public:
        Member(int rank, Shared& shared) : rank_(rank), shared_(shared) {}
        int rank() const override { return rank_; }
        int size() const override { return shared_.size; }
        void sum(std::span<float> values) override { sum_as(values); }
        void sum(std::span<double> values) override { sum_as(values); }
        void broadcast(std::span<std::byte> bytes) override {
            meet(bytes.data());
            if (rank_ != 0) std::memcpy(bytes.data(), shared_.places[0], bytes.size());
            shared_.barrier.arrive_and_wait();
        }
        void abort(int) noexcept override {}

      private:
        void meet(void* place) {
            shared_.places[static_cast<size_t>(rank_)] = place;
            shared_.barrier.arrive_and_wait();
        }
        template <class T>
        void sum_as(std::span<T> values) {
            meet(values.data());
            std::vector<T> sums(values.size());
            for (const void* place : shared_.places)
                for (size_t i = 0; i < sums.size(); ++i) sums[i] += static_cast<const T*>(place)[i];
            shared_.barrier.arrive_and_wait();
            std::copy(sums.begin(), sums.end(), values.begin());
            shared_.barrier.arrive_and_wait();
        }

        int rank_;
        Shared& shared_;
    };
};

}  // namespace headroom
