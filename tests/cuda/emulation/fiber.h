#pragma once

#include <memory>

namespace headroom::cuda::simt {

/// A thread of the emulated device: a stack of its own, switched to and from by hand, on the
/// thread of the host that runs the kernel.
class Fiber {
  public:
    /// The host's own stack.
    Fiber();
    /// Runs `body(argument)` when first switched to; `body` must never return.
    Fiber(void (*body)(void*), void* argument);
    ~Fiber();
    Fiber(Fiber&&) noexcept;

    /// Leaves `from`, which must be running, and goes on in `to`.
    static void go(Fiber& from, Fiber& to);

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace headroom::cuda::simt
