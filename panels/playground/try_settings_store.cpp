#include "panels/playground/try_settings_store.h"

#include <QSettings>

namespace headroom {

TrySettings read_try_settings(QSettings& store) {
    TrySettings settings;
    store.beginGroup("try");
    const auto flag = [&store](const char* name, bool& value) {
        value = store.value(name, value).toBool();
    };
    const auto real = [&store](const char* name, double least, double most, double& value) {
        const double kept = store.value(name, value).toDouble();
        if (kept >= least && kept <= most) value = kept;
    };
    const auto whole = [&store](const char* name, int64_t least, int64_t most, int64_t value) {
        const qlonglong kept = store.value(name, static_cast<qlonglong>(value)).toLongLong();
        return kept >= least && kept <= most ? kept : value;
    };
    if (store.contains("prompt")) settings.prompt = store.value("prompt").toString().toStdString();
    real("temperature", 0.01, 10, settings.sampling.temperature);
    real("top_p", 0.01, 1, settings.sampling.top_p);
    settings.sampling.top_k = whole("top_k", 0, 1000000, settings.sampling.top_k);
    settings.sampling.seed = static_cast<uint64_t>(whole("seed", 0, 999999999, 1));
    settings.max_new = whole("max_new", 1, 100000, settings.max_new);
    flag("greedy", settings.greedy);
    flag("in_turns", settings.in_turns);
    flag("shade", settings.shade);
    store.endGroup();
    return settings;
}

void write_try_settings(QSettings& store, const TrySettings& settings) {
    store.beginGroup("try");
    store.setValue("prompt", QString::fromStdString(settings.prompt));
    store.setValue("temperature", settings.sampling.temperature);
    store.setValue("top_p", settings.sampling.top_p);
    store.setValue("top_k", static_cast<qlonglong>(settings.sampling.top_k));
    store.setValue("seed", static_cast<qlonglong>(settings.sampling.seed));
    store.setValue("max_new", static_cast<qlonglong>(settings.max_new));
    store.setValue("greedy", settings.greedy);
    store.setValue("in_turns", settings.in_turns);
    store.setValue("shade", settings.shade);
    store.endGroup();
}

}  // namespace headroom
