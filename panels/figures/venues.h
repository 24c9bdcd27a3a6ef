#pragma once

#include <QComboBox>

namespace headroom {

/// Fills a list with the widths that journals and conferences print; `own` stands first, for a
/// width of 0, and "other" last.
void fill_venues(QComboBox& list, const QString& own);
/// Chooses the entry of a width, inches: "other" if nobody prints it.
void show_venue(QComboBox& list, double width);
/// The width of the chosen entry, inches; a negative number for "other".
double venue_width(const QComboBox& list);

}  // namespace headroom
