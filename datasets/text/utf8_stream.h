#pragma once

#include <string>
#include <string_view>

namespace headroom {

/// Lets a stream of bytes through in pieces that end between characters, so that a reader can show
/// each piece as it comes. Bytes that are no UTF-8 pass as they are; none is lost.
class Utf8Stream {
  public:
    /// All bytes so far that are not out yet, but for the start of a sequence at the end that more
    /// bytes may complete.
    std::string take(std::string_view bytes);
    /// The start of a sequence that nothing completed.
    std::string rest();

  private:
    std::string held_;
};

}  // namespace headroom
