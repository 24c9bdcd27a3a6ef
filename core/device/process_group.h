#pragma once

#include <cstddef>
#include <span>

namespace headroom {

/// Processes that train one run together, each on its part of every step. All of them call the same
/// collective functions in the same order; a call returns when all have made it.
class ProcessGroup {
  public:
    virtual ~ProcessGroup() = default;

    virtual int rank() const = 0;  ///< 0 owns the run's files
    virtual int size() const = 0;
    /// Replaces the values by their sums over all processes; all get the same bits.
    virtual void sum(std::span<float> values) = 0;
    virtual void sum(std::span<double> values) = 0;
    /// Gives all processes what rank 0 has.
    virtual void broadcast(std::span<std::byte> bytes) = 0;
    /// Ends all processes at once, since this one cannot go on. Does not return where there are
    /// others.
    virtual void abort(int status) noexcept = 0;

    bool is_alone() const { return size() == 1; }
};

/// A process that works alone: its collective functions do nothing.
ProcessGroup& solo_group();

}  // namespace headroom
