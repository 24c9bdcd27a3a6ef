#include "app/window/settings.h"

#include <QDir>
#include <algorithm>

#include "app/study/run_slots.h"

namespace headroom {

namespace {
constexpr int kMostRecent = 12;
const QString kNames[] = {"system", "light", "dark"};
}  // namespace

ThemeChoice Settings::theme() const {
    const QString name = store_.value("theme").toString();
    if (name == kNames[1]) return ThemeChoice::kLight;
    return name == kNames[2] ? ThemeChoice::kDark : ThemeChoice::kSystem;
}

void Settings::set_theme(ThemeChoice choice) {
    store_.setValue("theme", kNames[static_cast<int>(choice)]);
}

int Settings::text_percent() const {
    return std::clamp(store_.value("text_percent", 100).toInt(), 80, 200);
}

void Settings::set_text_percent(int percent) {
    store_.setValue("text_percent", percent);
}

int Settings::first_number() const {
    return store_.value("first_number", 0).toInt() == 1 ? 1 : 0;
}

void Settings::set_first_number(int number) {
    store_.setValue("first_number", number);
}

int Settings::run_slots() const {
    return std::clamp(store_.value("run_slots", 0).toInt(), 0, kMostRunSlots);
}

void Settings::set_run_slots(int count) {
    store_.setValue("run_slots", count);
}

bool Settings::notices() const {
    return store_.value("notices", true).toBool();
}

void Settings::set_notices(bool on) {
    store_.setValue("notices", on);
}

bool Settings::desktop_messages() const {
    return store_.value("desktop_messages", true).toBool();
}

void Settings::set_desktop_messages(bool on) {
    store_.setValue("desktop_messages", on);
}

bool Settings::tour_seen() const {
    return store_.value("tour_seen", false).toBool();
}

void Settings::set_tour_seen() {
    store_.setValue("tour_seen", true);
}

QStringList Settings::recent_studies() const {
    QStringList folders = store_.value("recent").toStringList();
    folders.removeIf([](const QString& folder) { return !QDir(folder).exists(); });
    return folders;
}

void Settings::add_recent_study(const QString& folder) {
    QStringList folders = store_.value("recent").toStringList();
    folders.removeAll(folder);
    folders.prepend(folder);
    store_.setValue("recent", QStringList(folders.mid(0, kMostRecent)));
}

void Settings::clear_recent_studies() {
    store_.remove("recent");
}

QString Settings::session() const {
    return store_.value("session").toString();
}

void Settings::set_session(const QString& folder) {
    store_.setValue("session", folder);
}

QByteArray Settings::geometry() const {
    return store_.value("window/geometry").toByteArray();
}

void Settings::set_geometry(const QByteArray& geometry) {
    store_.setValue("window/geometry", geometry);
}

}  // namespace headroom
