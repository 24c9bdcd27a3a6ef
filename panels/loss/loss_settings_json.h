#pragma once

#include <string>

#include "panels/loss/loss_settings.h"

namespace headroom {

/// What a person chose about the loss panel, to be kept between sessions, as JSON. What belongs to
/// one study or one look at it (baseline, hidden runs, zoom, title, size) is left out.
std::string loss_settings_to_json(const LossSettings& settings);

/// The same read back. Settings are never worth an error: what is missing or makes no sense keeps
/// its default.
LossSettings loss_settings_from_json(const std::string& text);

}  // namespace headroom
