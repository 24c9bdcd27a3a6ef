#pragma once

#include <cstddef>

namespace headroom {

/// One allocation, in pages of 2 MiB where it is large and the system has them: reading it end to
/// end then misses the table of pages far less. Not cleared. data() is null if there is no memory.
class PageMemory {
  public:
    explicit PageMemory(size_t bytes);
    ~PageMemory();
    PageMemory(const PageMemory&) = delete;
    PageMemory& operator=(const PageMemory&) = delete;

    std::byte* data() const { return data_; }

  private:
    std::byte* data_ = nullptr;
};

}  // namespace headroom
