#include "tests/support/allocation_count.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include "tests/support/thread_sanitizer.h"

extern "C" {
extern char __executable_start;  // NOLINT: the linker's name for the first byte of the program
extern char etext;               // and for the end of its code
}

namespace {

std::atomic<int64_t> allocations{0};

[[maybe_unused]] bool is_own_code(const void* address) {
    return address >= &__executable_start && address < &etext;
}

}  // namespace

// The thread sanitizer has operators of its own, and programs of it count nothing.
#if !HEADROOM_THREAD_SANITIZER
void* operator new(size_t size) {
    if (is_own_code(__builtin_return_address(0))) ++allocations;
    if (void* memory = std::malloc(size)) return memory;
    throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
    if (is_own_code(__builtin_return_address(0))) ++allocations;
    return std::malloc(size);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
    std::free(memory);
}
#endif

namespace headroom {

int64_t allocation_count() {
    return allocations.load();
}

}  // namespace headroom
