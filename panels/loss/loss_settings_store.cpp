#include "panels/loss/loss_settings_store.h"

#include <QSettings>

#include "core/base/error.h"

namespace headroom {

namespace {

/// The value that is stored by its name; the default where it is none of ours, such as a number of
/// an older program.
template <class Value, class Parse>
Value named(const QSettings& store, const char* key, Value value, Parse parse) {
    const std::string word = store.value(key).toString().toStdString();
    try {
        return word.empty() ? value : parse(word);
    } catch (const UserError&) {
        return value;
    }
}

QVariantList to_list(const std::optional<Range>& range) {
    return range ? QVariantList{range->lower, range->upper} : QVariantList();
}

std::optional<Range> to_range(const QVariant& value) {
    const QVariantList list = value.toList();
    if (list.size() != 2) return std::nullopt;
    return Range{list[0].toDouble(), list[1].toDouble()};
}

}  // namespace

LossSettings read_loss_settings(QSettings& store, const QString& group, LossSettings settings) {
    store.beginGroup(group);
    const auto flag = [&store](const char* name, bool& value) {
        value = store.value(name, value).toBool();
    };
    settings.x = named(store, "x", settings.x, parse_loss_x);
    settings.metric = store.value("metric").toString().toStdString();
    const double smoothing = store.value("smoothing", settings.smoothing).toDouble();
    if (smoothing >= 0 && smoothing < 1) settings.smoothing = smoothing;
    settings.unit = named(store, "unit", settings.unit, parse_relative_unit);
    flag("train", settings.train);
    flag("val", settings.val);
    flag("log_x", settings.log_x);
    flag("log_y", settings.log_y);
    flag("ignore_outliers", settings.ignore_outliers);
    flag("group_seeds", settings.group_seeds);
    flag("legend", settings.legend);
    settings.band = named(store, "band", settings.band, parse_seed_band);
    store.endGroup();
    return settings;
}

void write_loss_settings(QSettings& store, const LossSettings& settings, const QString& group) {
    store.beginGroup(group);
    store.setValue("x", QString::fromStdString(name_of(settings.x)));
    store.setValue("metric", QString::fromStdString(settings.metric));
    store.setValue("smoothing", settings.smoothing);
    store.setValue("unit", QString::fromStdString(name_of(settings.unit)));
    store.setValue("train", settings.train);
    store.setValue("val", settings.val);
    store.setValue("log_x", settings.log_x);
    store.setValue("log_y", settings.log_y);
    store.setValue("ignore_outliers", settings.ignore_outliers);
    store.setValue("group_seeds", settings.group_seeds);
    store.setValue("legend", settings.legend);
    store.setValue("band", QString::fromStdString(name_of(settings.band)));
    store.endGroup();
}

void write_loss_place(QSettings& store, const LossSettings& settings, const QString& group) {
    store.beginGroup(group);
    store.setValue("x_range", to_list(settings.x_range));
    store.setValue("y_range", to_list(settings.y_range));
    store.setValue("relative", !settings.baseline.empty());
    store.endGroup();
}

void read_loss_place(QSettings& store, LossSettings& settings, const QString& group) {
    store.beginGroup(group);
    settings.x_range = to_range(store.value("x_range"));
    settings.y_range = to_range(store.value("y_range"));
    settings.baseline = store.value("relative").toBool() ? "the reference" : "";
    store.endGroup();
}

}  // namespace headroom
