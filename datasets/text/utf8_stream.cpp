#include "datasets/text/utf8_stream.h"

#include <cstddef>
#include <utility>

#include "core/base/utf8.h"

namespace headroom {

std::string Utf8Stream::take(std::string_view bytes) {
    held_ += bytes;
    const size_t end = held_.size() - incomplete_utf8_tail(held_);
    std::string out = held_.substr(0, end);
    held_.erase(0, end);
    return out;
}

std::string Utf8Stream::rest() {
    return std::exchange(held_, {});
}

}  // namespace headroom
