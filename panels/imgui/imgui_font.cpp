#include "panels/imgui/imgui_font.h"

#include <QFontInfo>
#include <QRawFont>
#include <QtEndian>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include <imgui.h>

namespace headroom {

namespace {

constexpr const char* kTables[] = {"CFF ", "GPOS", "OS/2", "cmap", "cvt ", "fpgm", "glyf", "head",
                                   "hhea", "hmtx", "kern", "loca", "maxp", "name", "post", "prep"};

// Latin with its extensions, Greek, punctuation, arrows, mathematical signs.
constexpr ImWchar kRanges[] = {0x0020, 0x017f, 0x0370, 0x03ff, 0x2010, 0x2044, 0x2190,
                               0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};

void append_u16(QByteArray& out, quint16 value) {
    value = qToBigEndian(value);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_u32(QByteArray& out, quint32 value) {
    value = qToBigEndian(value);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

/// sfnt layout: a 12-byte header, 16 bytes for each table in the order of their tags, the tables
/// aligned to 4 bytes (OpenType 1.9, "Organization of an OpenType Font").
QByteArray font_file(const QFont& font) {
    const QRawFont raw = QRawFont::fromFont(font);
    std::vector<std::pair<const char*, QByteArray>> tables;
    bool outlines = false;
    bool compact = false;
    for (const char* tag : kTables) {
        QByteArray table = raw.fontTable(tag);
        if (table.isEmpty()) continue;
        compact = compact || std::strcmp(tag, "CFF ") == 0;
        outlines = outlines || compact || std::strcmp(tag, "glyf") == 0;
        tables.emplace_back(tag, std::move(table));
    }
    if (!outlines) return {};

    QByteArray directory;
    append_u32(directory, compact ? 0x4f54544f : 0x00010000);
    append_u16(directory, static_cast<quint16>(tables.size()));
    for (int i = 0; i < 3; ++i) append_u16(directory, 0);  // search hints that no reader needs
    QByteArray body;
    const auto body_start = static_cast<quint32>(12 + 16 * tables.size());
    for (const auto& [tag, table] : tables) {
        directory.append(tag, 4);
        append_u32(directory, 0);  // checksum, likewise unread
        append_u32(directory, body_start + static_cast<quint32>(body.size()));
        append_u32(directory, static_cast<quint32>(table.size()));
        body += table;
        body.append((4 - body.size() % 4) % 4, '\0');
    }
    return directory + body;
}

void load_font(ImFontAtlas& atlas, const QFont& font, double scale) {
    atlas.Clear();
    const auto pixels = static_cast<float>(std::round(QFontInfo(font).pixelSize() * 1.16 * scale));
    ImFontConfig config;
    config.OversampleH = 2;
    config.PixelSnapH = true;
    config.FontDataOwnedByAtlas = false;
    QByteArray file = font_file(font);
    if (!file.isEmpty() && atlas.AddFontFromMemoryTTF(file.data(), static_cast<int>(file.size()),
                                                      pixels, &config, kRanges)) {
        atlas.Build();  // reads `file`, which does not outlive this function
        atlas.ClearInputData();
        return;
    }
    atlas.Clear();
    ImFontConfig fallback;
    fallback.SizePixels = pixels;
    atlas.AddFontDefault(&fallback);
    atlas.Build();
}

}  // namespace headroom
