#pragma once

#include <QString>

#include "panels/loss/loss_settings.h"

class QSettings;

namespace headroom {

/// What a person has set in the loss panel, kept between sessions. Ranges, hidden runs and the
/// baseline belong to one study's runs and are not kept. Values that make no sense (a file edited
/// by hand) become the defaults.
/// `group` is the view that they are of.
LossSettings read_loss_settings(QSettings& store, const QString& group = "loss",
                                LossSettings defaults = {});
void write_loss_settings(QSettings& store, const LossSettings& settings,
                         const QString& group = "loss");

/// What only matters for a while: the visible ranges, and whether losses are relative to the
/// reference, whichever that is.
void write_loss_place(QSettings& store, const LossSettings& settings,
                      const QString& group = "loss");
void read_loss_place(QSettings& store, LossSettings& settings, const QString& group = "loss");

}  // namespace headroom
