#include "app/window/dialogs/keys_dialog.h"

#include <QAction>
#include <QFormLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "panels/qt/labelled.h"

namespace headroom {

static void add_row(QFormLayout* form, const QString& keys, const QString& text) {
    auto* key = new QLabel(keys);
    key->setProperty("role", "muted");
    form->addRow(key, new QLabel(text));
}

KeysDialog::KeysDialog(const QList<QAction*>& actions, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Keys"));
    setObjectName("keysDialog");
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(24);
    form->addRow(make_heading(tr("Window")));
    for (const QAction* action : actions) {
        if (action->shortcut().isEmpty()) continue;
        QString text = action->text();
        add_row(form, action->shortcut().toString(QKeySequence::NativeText), text.remove('&'));
    }
    add_row(form, "1 … 9", tr("select a run"));
    form->addRow(make_heading(tr("List and table of runs")));
    add_row(form, "E", tr("show or hide the selected runs"));
    add_row(form, "R", tr("make the selected run the reference"));
    add_row(form, "C", tr("choose the variant's colour; a click on the dot does the same"));
    add_row(form, "T, N", tr("tags and note of the selected runs"));
    add_row(form, "F2", tr("rename the variant"));
    add_row(form, "Del", tr("remove the selected runs; Ctrl+Z brings them back"));
    form->addRow(make_heading(tr("Charts")));
    add_row(form, tr("Drag"), tr("zoom into a box"));
    add_row(form, tr("Wheel"), tr("zoom at the cursor"));
    add_row(form, tr("Middle or Shift drag"), tr("pan"));
    add_row(form, tr("Ctrl drag"), tr("mean, least, greatest and slope of each run there"));
    add_row(form, tr("Double click"), tr("fit"));
    add_row(form, tr("Right click"), tr("choose the reference"));
    form->addRow(make_heading(tr("Inspector")));
    add_row(form, tr("Hover, click"), tr("preview a head, keep it"));
    add_row(form, tr("Arrows"), tr("next head or layer"));
    add_row(form, tr("PgUp, PgDn"), tr("earlier or later checkpoint"));
    add_row(form, tr("Drag, wheel"), tr("zoom into a box, zoom at the cursor"));
    add_row(form, tr("Middle or Shift drag"), tr("pan"));
    add_row(form, tr("Double click, Home"), tr("fit"));
    add_row(form, tr("Right click"), tr("make a run the reference"));
    add_row(form, tr("Esc"), tr("let the kept head go"));
    form->addRow(make_heading(tr("Wiring")));
    add_row(form, tr("Hover, click"), tr("read out a head, keep it"));
    add_row(form, tr("Arrows"), tr("next head or layer"));
    add_row(form, tr("Drag, wheel, double click"), tr("pan, zoom, fit"));
    form->addRow(make_heading(tr("Architecture")));
    add_row(form, tr("Click, up, down"), tr("choose the block in detail"));
    add_row(form, tr("Drag, wheel, double click"), tr("pan, zoom, fit; also +, − and 0"));
    auto* content = new QWidget;
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(20, 16, 20, 16);
    inner->addLayout(form);
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("Keys"));
    scroll->setWidget(content);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    const int most = parent ? parent->height() - 60 : 700;
    resize(content->sizeHint().width() + 24, std::min(content->sizeHint().height() + 4, most));
}

}  // namespace headroom
