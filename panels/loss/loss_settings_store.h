#pragma once

#include "panels/loss/loss_settings.h"

class QSettings;

namespace headroom {

/// What a person has set in the loss panel, kept between sessions. Ranges, hidden runs and the
/// baseline belong to one study's runs and are not kept. Values that make no sense (a file edited
/// by hand) become the defaults.
LossSettings read_loss_settings(QSettings& store);
void write_loss_settings(QSettings& store, const LossSettings& settings);

}  // namespace headroom
