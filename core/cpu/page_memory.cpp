#include "core/cpu/page_memory.h"

#include <algorithm>
#include <cstdlib>

#include <sys/mman.h>

namespace headroom {
namespace {

constexpr size_t kPage = 4096, kLargePage = size_t{2} << 20;

size_t rounded_up(size_t bytes, size_t to) {
    return (bytes + to - 1) / to * to;
}

}  // namespace

PageMemory::PageMemory(size_t bytes) {
    const bool large = bytes >= 2 * kLargePage;
    const size_t alignment = large ? kLargePage : kPage;
    const size_t size = rounded_up(std::max<size_t>(bytes, 1), kPage);
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, size) != 0) return;
#ifdef MADV_HUGEPAGE
    if (large) madvise(memory, size, MADV_HUGEPAGE);  // a wish: small pages do as well
#endif
    data_ = static_cast<std::byte*>(memory);
}

PageMemory::~PageMemory() {
    std::free(data_);
}

}  // namespace headroom
