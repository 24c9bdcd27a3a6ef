#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

#include "panels/base/theme.h"

namespace headroom {

inline QColor to_qcolor(Rgb c) {
    return QColor(c.r, c.g, c.b, c.a);
}

/// The theme as Qt's widgets understand it: colours by role, and what a palette cannot say
/// (borders, paddings, the look of tool bars and tables) as a style sheet.
QPalette make_palette(const Theme& theme);
QString make_style_sheet(const Theme& theme);

/// An icon of resources/icons by its name without ".svg", drawn in the theme's text colour and
/// greyed where it is disabled. Sharp at any scale.
QIcon themed_icon(const QString& name, const Theme& theme);

/// The size of text that the next dressing gives the application, in per cent of the desktop's.
void set_text_percent(int percent);

/// Gives the application its font. Widgets that were made before may keep another one.
void choose_application_font();
/// Dresses the application, and finds out what the desktop asks for.
void apply_theme_to_application(const Theme& theme);
const Theme& resolve_theme(ThemeChoice choice);

/// The theme that the application wears now.
const Theme& current_theme();

}  // namespace headroom
