#pragma once

#include "panels/inspector/inspector_settings.h"

class QSettings;

namespace headroom {

/// What is not there, or makes no sense, is the default.
InspectorSettings read_inspector_settings(QSettings& store);
void write_inspector_settings(QSettings& store, const InspectorSettings& settings);

}  // namespace headroom
