#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/decode/generation_event.h"

namespace headroom {

/// Cuts what a worker writes on its standard output into events, however the bytes arrive.
class EventLines {
  public:
    /// The events of all lines that are complete by now. UserError for a line that is no event, or
    /// one of more than a mebibyte.
    std::vector<GenerationEvent> take(std::string_view bytes);

  private:
    std::string open_;  ///< the line that has no end yet
};

}  // namespace headroom
