#include "panels/inspector/inspector_settings_store.h"

#include <QSettings>
#include <cmath>

namespace headroom {
namespace {

/// Reads an enumeration whose last value is `last`.
template <class E>
void read_choice(QSettings& store, const char* name, E& value, E last) {
    bool good = false;
    const int stored = store.value(name).toInt(&good);
    if (good && stored >= 0 && stored <= static_cast<int>(last)) value = static_cast<E>(stored);
}

void read_number(QSettings& store, const char* name, double& value, double least, double most) {
    const double stored = store.value(name, value).toDouble();
    if (std::isfinite(stored) && stored >= least && stored <= most) value = stored;
}

void read_map(QSettings& store, const char* name, ColorMap& map) {
    const auto stored = find_color_map(store.value(name).toString().toStdString());
    if (stored && is_diverging(*stored) == is_diverging(map)) map = *stored;
}

}  // namespace

InspectorSettings read_inspector_settings(QSettings& store) {
    InspectorSettings settings;
    store.beginGroup("inspector");
    read_choice(store, "signal", settings.signal, MapSignal::kLogits);
    read_choice(store, "cells", settings.value, CellValue::kMax);
    read_choice(store, "compare", settings.compare, CompareMode::kDifference);
    read_map(store, "sequential", settings.sequential);
    read_map(store, "diverging", settings.diverging);
    read_choice(store, "range", settings.range, RangeMode::kFixed);
    read_number(store, "percentile", settings.percentile, 0, 49);
    read_number(store, "sigmas", settings.sigmas, 0.01, 100);
    read_number(store, "lower", settings.lower, -1e6, 1e6);
    read_number(store, "upper", settings.upper, settings.lower, 1e6);
    read_choice(store, "scale", settings.scale, ValueScale::kSymLog);
    read_choice(store, "margin", settings.margin, Margin::kMax);
    settings.over_picture = store.value("overPicture", true).toBool();
    read_number(store, "heat", settings.heat, 0, 1);
    settings.show_atlas = store.value("atlas", true).toBool();
    settings.show_margins = store.value("margins", true).toBool();
    store.endGroup();
    return settings;
}

void write_inspector_settings(QSettings& store, const InspectorSettings& settings) {
    const auto name = [](ColorMap map) { return QString::fromUtf8(color_map_name(map)); };
    store.beginGroup("inspector");
    store.setValue("signal", static_cast<int>(settings.signal));
    store.setValue("cells", static_cast<int>(settings.value));
    store.setValue("compare", static_cast<int>(settings.compare));
    store.setValue("sequential", name(settings.sequential));
    store.setValue("diverging", name(settings.diverging));
    store.setValue("range", static_cast<int>(settings.range));
    store.setValue("percentile", settings.percentile);
    store.setValue("sigmas", settings.sigmas);
    store.setValue("lower", settings.lower);
    store.setValue("upper", settings.upper);
    store.setValue("scale", static_cast<int>(settings.scale));
    store.setValue("margin", static_cast<int>(settings.margin));
    store.setValue("overPicture", settings.over_picture);
    store.setValue("heat", settings.heat);
    store.setValue("atlas", settings.show_atlas);
    store.setValue("margins", settings.show_margins);
    store.endGroup();
}

}  // namespace headroom
