// Jumping between stacks is the point here, which the checked longjmp would refuse.
#undef _FORTIFY_SOURCE

#include "tests/cuda/emulation/fiber.h"

#include <cstdint>

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "core/base/error.h"

// GCC says which sanitizer is on by macros, clang by features.
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#elif __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace headroom::cuda::simt {
namespace {

constexpr size_t kStackBytes = size_t{256} << 10;

}  // namespace

struct Fiber::State {
    ucontext_t context{};
    jmp_buf place{};
    bool started = false;
    void (*body)(void*) = nullptr;
    void* argument = nullptr;
    void* stack = nullptr;
    const void* sanitizer_stack = nullptr;
    size_t sanitizer_bytes = 0;
    void* fake_stack = nullptr;    ///< of the address sanitizer
    void* thread_state = nullptr;  ///< of the thread sanitizer

    void arrive() {
#ifdef __SANITIZE_ADDRESS__
        __sanitizer_finish_switch_fiber(fake_stack, &last->sanitizer_stack, &last->sanitizer_bytes);
#endif
    }
    static inline thread_local State* last = nullptr;  ///< the fiber that was left

    static void enter(unsigned high, unsigned low) {
        auto* self = reinterpret_cast<State*>(uint64_t{high} << 32 | low);
        self->arrive();
        self->body(self->argument);
    }
};

Fiber::Fiber() : state_(std::make_unique<State>()) {
    state_->started = true;
#ifdef __SANITIZE_THREAD__
    state_->thread_state = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(void (*body)(void*), void* argument) : state_(std::make_unique<State>()) {
    State& s = *state_;
    s.body = body;
    s.argument = argument;
    s.stack =
        mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(s.stack != MAP_FAILED, "memory for the stack of an emulated thread");
    s.sanitizer_stack = s.stack;
    s.sanitizer_bytes = kStackBytes;
#ifdef __SANITIZE_THREAD__
    s.thread_state = __tsan_create_fiber(0);
#endif
    CHECK(getcontext(&s.context) == 0, "getcontext");
    s.context.uc_stack = {s.stack, 0, kStackBytes};
    const auto self = reinterpret_cast<uint64_t>(&s);
    makecontext(&s.context, reinterpret_cast<void (*)()>(State::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

Fiber::~Fiber() {
    if (!state_ || state_->stack == nullptr) return;
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(state_->thread_state);
#endif
    munmap(state_->stack, kStackBytes);
}

Fiber::Fiber(Fiber&&) noexcept = default;

void Fiber::go(Fiber& from, Fiber& to) {
    State &a = *from.state_, &b = *to.state_;
    State::last = &a;
#if defined(__SANITIZE_THREAD__)
    // One thread of the host runs both, one after the other.
    __tsan_switch_to_fiber(b.thread_state, 0);
    b.started = true;
    swapcontext(&a.context, &b.context);
#elif defined(__SANITIZE_ADDRESS__)
    // The sanitizer has to know the stacks, and does not know jumps between them.
    __sanitizer_start_switch_fiber(&a.fake_stack, b.sanitizer_stack, b.sanitizer_bytes);
    b.started = true;
    swapcontext(&a.context, &b.context);
    a.arrive();
#else
    // Unlike swapcontext this does not ask the kernel for the signal mask: 30 times as fast.
    if (_setjmp(a.place) != 0) return;
    if (b.started) _longjmp(b.place, 1);
    b.started = true;
    setcontext(&b.context);
#endif
}

}  // namespace headroom::cuda::simt
