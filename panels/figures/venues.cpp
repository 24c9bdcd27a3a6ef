#include "panels/figures/venues.h"

#include <QCoreApplication>
#include <algorithm>

namespace headroom {
namespace {

struct Venue {
    const char* name;
    double width;
};
const Venue kVenues[] = {{QT_TRANSLATE_NOOP("Venues", "NeurIPS, ICLR text · 5.5 in"), 5.5},
                         {QT_TRANSLATE_NOOP("Venues", "ICML column · 3.25 in"), 3.25},
                         {QT_TRANSLATE_NOOP("Venues", "ICML two columns · 6.75 in"), 6.75},
                         {QT_TRANSLATE_NOOP("Venues", "ACL column · 3.03 in"), 3.03},
                         {QT_TRANSLATE_NOOP("Venues", "ACL two columns · 6.3 in"), 6.3},
                         {QT_TRANSLATE_NOOP("Venues", "IEEE column · 3.5 in"), 3.5}};

}  // namespace

void fill_venues(QComboBox& list, const QString& own) {
    list.addItem(own, 0.0);
    for (const Venue& venue : kVenues)
        list.addItem(QCoreApplication::translate("Venues", venue.name), venue.width);
    list.addItem(QCoreApplication::translate("Venues", "other"), -1.0);
}

void show_venue(QComboBox& list, double width) {
    const int at = list.findData(width);
    list.setCurrentIndex(at >= 0 ? at : list.count() - 1);
}

double venue_width(const QComboBox& list) {
    return list.currentData().toDouble();
}

}  // namespace headroom
