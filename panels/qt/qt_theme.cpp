#include "panels/qt/qt_theme.h"

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QIconEngine>
#include <QPainter>
#include <QStyle>
#include <QStyleFactory>
#include <QSvgRenderer>

#include "panels/base/rgb.h"

namespace headroom {

namespace {

const Theme* current = nullptr;
int text_percent = 100;

/// Renders an SVG whose strokes are black in another colour, at whatever size is asked for.
class SvgIconEngine : public QIconEngine {
  public:
    SvgIconEngine(QByteArray svg, QColor ink, QColor faint)
        : svg_(std::move(svg)), ink_(ink), faint_(faint) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
        QByteArray coloured = svg_;
        coloured.replace("#000", (mode == QIcon::Disabled ? faint_ : ink_).name().toLatin1());
        QSvgRenderer renderer(coloured);
        renderer.render(painter, rect);
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap pixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        return pixmap;
    }
    QIconEngine* clone() const override { return new SvgIconEngine(svg_, ink_, faint_); }

  private:
    QByteArray svg_;
    QColor ink_;
    QColor faint_;
};

}  // namespace

QPalette make_palette(const Theme& theme) {
    const QColor text = to_qcolor(theme.text);
    const QColor faint = to_qcolor(blend(theme.muted, theme.panel, 0.4));
    QPalette p;
    p.setColor(QPalette::Window, to_qcolor(theme.window));
    p.setColor(QPalette::Base, to_qcolor(theme.panel));
    p.setColor(QPalette::AlternateBase, to_qcolor(theme.raised));
    p.setColor(QPalette::Button, to_qcolor(theme.raised));
    p.setColor(QPalette::ToolTipBase, to_qcolor(theme.raised));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText,
                            QPalette::ToolTipText, QPalette::BrightText})
        p.setColor(role, text);
    p.setColor(QPalette::PlaceholderText, to_qcolor(theme.muted));
    p.setColor(QPalette::Highlight, to_qcolor(theme.accent));
    p.setColor(QPalette::HighlightedText, to_qcolor(theme.on_accent));
    p.setColor(QPalette::Link, to_qcolor(theme.accent));
    p.setColor(QPalette::LinkVisited, to_qcolor(theme.accent));
    p.setColor(QPalette::Light, to_qcolor(theme.raised));
    p.setColor(QPalette::Midlight, to_qcolor(theme.raised));
    p.setColor(QPalette::Mid, to_qcolor(theme.border));
    p.setColor(QPalette::Dark, to_qcolor(theme.border));
    p.setColor(QPalette::Shadow, to_qcolor(blend(theme.border, theme.text, 0.2)));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, faint);
    return p;
}

QString make_style_sheet(const Theme& theme) {
    QFile file(":/headroom/themes/studio.qss");
    if (!file.open(QIODevice::ReadOnly)) return {};
    QString sheet = QString::fromUtf8(file.readAll());
    const auto fill = [&sheet](const char* name, Rgb colour) {
        sheet.replace(QString("@%1@").arg(name), to_qcolor(colour).name());
    };
    sheet.replace("@mode@", theme.dark ? "dark" : "light");
    fill("window", theme.window);
    fill("panel", theme.panel);
    fill("raised", theme.raised);
    fill("text", theme.text);
    fill("muted", theme.muted);
    fill("faint", blend(theme.muted, theme.panel, 0.4));
    fill("border", theme.border);
    fill("accent", theme.accent);
    fill("on_accent", theme.on_accent);
    fill("selection", blend(theme.panel, theme.accent, theme.dark ? 0.28 : 0.16));
    fill("hover", blend(theme.raised, theme.accent, 0.12));
    fill("bad", theme.bad);
    fill("warning", theme.warning);
    fill("good", theme.good);
    return sheet;
}

QIcon themed_icon(const QString& name, const Theme& theme) {
    QFile file(":/headroom/icons/" + name + ".svg");
    if (!file.open(QIODevice::ReadOnly)) return {};
    return QIcon(new SvgIconEngine(file.readAll(), to_qcolor(theme.text),
                                   to_qcolor(blend(theme.muted, theme.panel, 0.5))));
}

/// Keeps the desktop's font where there is one; on a bare display, where Qt falls back to DejaVu,
/// takes the first better one that is installed.
static QFont studio_font() {
    QFont font = QApplication::font();
    if (!font.family().startsWith("DejaVu") && !font.family().startsWith("Sans")) return font;
    for (const char* family : {"Inter", "Inter Variable", "Noto Sans", "Cantarell", "Ubuntu"}) {
        if (!QFontDatabase::families().contains(family)) continue;
        font.setFamily(family);
        break;
    }
    return font;
}

void set_text_percent(int percent) {
    text_percent = percent;
}

void choose_application_font() {
    static const QFont desktop_font = studio_font();
    QFont font = desktop_font;
    if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * text_percent / 100);
    if (font != QApplication::font()) QApplication::setFont(font);
}

void apply_theme_to_application(const Theme& theme) {
    choose_application_font();
    if (!current) QApplication::setStyle(QStyleFactory::create("Fusion"));
    current = &theme;
    QApplication::setPalette(make_palette(theme));
    qApp->setStyleSheet(make_style_sheet(theme));
}

const Theme& resolve_theme(ThemeChoice choice) {
    if (choice == ThemeChoice::kLight) return light_theme();
    if (choice == ThemeChoice::kDark) return dark_theme();
    // Qt 6.4 has no colour scheme to ask for: the desktop's palette tells.
    static const bool desktop_is_dark =
        QApplication::palette().color(QPalette::Window).lightness() < 128;
    return desktop_is_dark ? dark_theme() : light_theme();
}

const Theme& current_theme() {
    return current ? *current : light_theme();
}

}  // namespace headroom
