#pragma once

#include <QByteArray>
#include <QFont>

struct ImFontAtlas;

namespace headroom {

/// The TrueType or OpenType file behind a Qt font, put together from the tables that Qt gives out,
/// so that ImGui writes in the very font of the window around it. Empty if Qt has no such tables.
QByteArray font_file(const QFont& font);

/// Rebuilds the atlas with `font` at `scale` device pixels per logical pixel. Falls back to ImGui's
/// built-in font where font_file gives nothing.
void load_font(ImFontAtlas& atlas, const QFont& font, double scale);

}  // namespace headroom
