#include "panels/run_list/color_menu.h"

#include <QCoreApplication>
#include <QMenu>
#include <array>
#include <set>

#include "panels/figure/palette.h"
#include "panels/run_list/run_list_icons.h"

namespace headroom {
namespace {

constexpr int kOffered = 2 * kPaletteSize;
constexpr std::array<const char*, kPaletteSize> kNames{
    QT_TRANSLATE_NOOP("ColorMenu", "Blue"),           QT_TRANSLATE_NOOP("ColorMenu", "Vermilion"),
    QT_TRANSLATE_NOOP("ColorMenu", "Green"),          QT_TRANSLATE_NOOP("ColorMenu", "Purple"),
    QT_TRANSLATE_NOOP("ColorMenu", "Orange"),         QT_TRANSLATE_NOOP("ColorMenu", "Sky blue"),
    QT_TRANSLATE_NOOP("ColorMenu", "Black or white"), QT_TRANSLATE_NOOP("ColorMenu", "Yellow")};

QString tr(const char* text) {
    return QCoreApplication::translate("ColorMenu", text);
}

/// "gpt2, skipv1": the groups that have this colour.
QString wearers(const StudyLook& look, int color) {
    std::set<std::string> groups;
    for (const RunPointer& run : look.runs())
        if (run->color == color) groups.insert(run->group);
    QStringList names;
    for (const std::string& group : groups) names << QString::fromStdString(group);
    return names.join(", ");
}

}  // namespace

void fill_color_menu(QMenu& menu, const StudyLook& look, int now, const Theme& theme,
                     const std::function<void(int)>& choose) {
    for (int color = 0; color < kOffered; ++color) {
        if (color == kPaletteSize) menu.addSeparator();
        QString text = tr(kNames[static_cast<size_t>(color % kPaletteSize)]);
        if (color >= kPaletteSize) text = tr("%1, another mark and other dashes").arg(text);
        QString worn = wearers(look, color);
        if (!worn.isEmpty()) text += "  —  " + worn.replace('&', "&&");
        QAction* action =
            menu.addAction(run_dot(color, 0, true, theme, menu.devicePixelRatioF()), text);
        action->setObjectName("color:" + QString::number(color));
        QFont font = menu.font();
        font.setBold(color == now);
        action->setFont(font);
        QObject::connect(action, &QAction::triggered, &menu, [=] { choose(color); });
    }
}

}  // namespace headroom
