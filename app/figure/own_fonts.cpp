#include "app/figure/own_fonts.h"

#include <QDir>
#include <QFontDatabase>
#include <cstdlib>

#include "app/program_files.h"

namespace headroom {

void settle_font_settings() {
    const std::filesystem::path own = program_files().resources / "fonts/fonts.conf";
    std::error_code ignored;
    if (std::filesystem::exists("/etc/fonts/fonts.conf", ignored)) return;
    if (std::filesystem::exists(own, ignored)) setenv("FONTCONFIG_FILE", own.c_str(), 0);
}

void add_own_fonts() {
    const QDir folder(QString::fromStdString((program_files().resources / "fonts").string()));
    for (const QString& file : folder.entryList({"*.otf", "*.ttf"}, QDir::Files))
        QFontDatabase::addApplicationFont(folder.filePath(file));
}

}  // namespace headroom
