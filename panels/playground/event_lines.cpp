#include "panels/playground/event_lines.h"

#include <cstddef>

#include "core/base/error.h"

namespace headroom {

std::vector<GenerationEvent> EventLines::take(std::string_view bytes) {
    constexpr size_t kLongestLine = size_t{1} << 20;
    std::vector<GenerationEvent> events;
    for (size_t end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
        open_ += bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        events.push_back(parse_generation_event(open_));
        open_.clear();
    }
    open_ += bytes;
    if (open_.size() > kLongestLine)
        throw UserError("the worker's line has no end", "is headroom of another version?");
    return events;
}

}  // namespace headroom
