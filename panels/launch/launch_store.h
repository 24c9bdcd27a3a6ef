#pragma once

#include <optional>
#include <string>

#include "panels/launch/launch_form.h"

namespace headroom {

/// A form as one text, to be kept between sessions.
std::string launch_text(const LaunchInput& input);

/// The form that such a text has; none of any other text.
std::optional<LaunchInput> parse_launch_text(const std::string& text);

}  // namespace headroom
