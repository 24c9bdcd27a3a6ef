#include "panels/loss/loss_settings_store.h"

#include <QSettings>

#include "core/base/error.h"

namespace headroom {

LossSettings read_loss_settings(QSettings& store) {
    LossSettings settings;
    store.beginGroup("loss");
    const auto flag = [&store](const char* name, bool& value) {
        value = store.value(name, value).toBool();
    };
    const int x = store.value("x", static_cast<int>(settings.x)).toInt();
    if (x >= 0 && x <= static_cast<int>(LossX::kWall)) settings.x = static_cast<LossX>(x);
    settings.metric = store.value("metric").toString().toStdString();
    const double smoothing = store.value("smoothing", settings.smoothing).toDouble();
    if (smoothing >= 0 && smoothing < 1) settings.smoothing = smoothing;
    const int unit = store.value("unit", 0).toInt();
    settings.unit = unit == 1 ? RelativeUnit::kPercent : RelativeUnit::kNats;
    flag("train", settings.train);
    flag("val", settings.val);
    flag("log_x", settings.log_x);
    flag("log_y", settings.log_y);
    flag("ignore_outliers", settings.ignore_outliers);
    flag("group_seeds", settings.group_seeds);
    try {
        settings.band =
            parse_seed_band(store.value("band", QString::fromStdString(name_of(settings.band)))
                                .toString()
                                .toStdString());
    } catch (const UserError&) {
        // Not one of ours: the default stays.
    }
    store.endGroup();
    return settings;
}

void write_loss_settings(QSettings& store, const LossSettings& settings) {
    store.beginGroup("loss");
    store.setValue("x", static_cast<int>(settings.x));
    store.setValue("metric", QString::fromStdString(settings.metric));
    store.setValue("smoothing", settings.smoothing);
    store.setValue("unit", static_cast<int>(settings.unit));
    store.setValue("train", settings.train);
    store.setValue("val", settings.val);
    store.setValue("log_x", settings.log_x);
    store.setValue("log_y", settings.log_y);
    store.setValue("ignore_outliers", settings.ignore_outliers);
    store.setValue("group_seeds", settings.group_seeds);
    store.setValue("band", QString::fromStdString(name_of(settings.band)));
    store.endGroup();
}

}  // namespace headroom
