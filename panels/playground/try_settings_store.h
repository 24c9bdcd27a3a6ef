#pragma once

#include "panels/playground/try_settings.h"

class QSettings;

namespace headroom {

/// What a person has set in the panel that lets models speak, kept between sessions. Values that
/// make no sense (a file edited by hand) become the defaults.
TrySettings read_try_settings(QSettings& store);
void write_try_settings(QSettings& store, const TrySettings& settings);

}  // namespace headroom
