#include "app/window/dialogs/settings_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/window/main_window.h"
#include "app/window/services/desktop_notes.h"

namespace headroom {

SettingsDialog::SettingsDialog(MainWindow& window)
    : QDialog(&window), window_(window), form_(new QFormLayout) {
    setObjectName("settingsDialog");
    setWindowTitle(tr("Settings"));
    setAttribute(Qt::WA_DeleteOnClose);
    form_->setHorizontalSpacing(20);
    form_->setVerticalSpacing(8);
    add_look();
    add_views();
    add_notices();
    auto* close = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(close, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 14, 20, 14);
    column->setSpacing(14);
    column->addLayout(form_);
    column->addWidget(close);
}

void SettingsDialog::add_heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "heading");
    form_->addRow(label);
}

void SettingsDialog::add_look() {
    add_heading(tr("Look"));
    auto* theme = new QComboBox;
    theme->setObjectName("settingsTheme");
    for (const QString& name : {tr("As the desktop"), tr("Light"), tr("Dark")})
        theme->addItem(name);
    theme->setCurrentIndex(static_cast<int>(window_.settings().theme()));
    connect(theme, &QComboBox::activated, this,
            [this](int index) { window_.set_theme(static_cast<ThemeChoice>(index)); });
    form_->addRow(tr("&Theme"), theme);
    auto* size = new QSpinBox;
    size->setObjectName("settingsTextSize");
    size->setRange(80, 200);
    size->setSingleStep(10);
    size->setSuffix(" %");
    size->setKeyboardTracking(false);
    size->setValue(window_.settings().text_percent());
    connect(size, &QSpinBox::valueChanged, this,
            [this](int percent) { window_.set_text_size(percent); });
    form_->addRow(tr("Te&xt size"), size);
}

void SettingsDialog::add_views() {
    add_heading(tr("Views"));
    auto* first = new QComboBox;
    first->setObjectName("settingsFirstNumber");
    first->addItem(tr("from 0, as files and options do"));
    first->addItem(tr("from 1"));
    first->setCurrentIndex(window_.settings().first_number());
    first->setToolTip(
        tr("In labels of views and of figures made from them; files, CSV and options always count "
           "from 0. A study's figure keeps what it was made with (--count-from)"));
    connect(first, &QComboBox::activated, this,
            [this](int number) { window_.set_first_number(number); });
    form_->addRow(tr("&Layers and heads count"), first);
    auto* legend = new QCheckBox(tr("in the charts of the curves, beside the run list"));
    legend->setObjectName("settingsLegend");
    legend->setChecked(window_.legend());
    connect(legend, &QCheckBox::toggled, this, [this](bool on) { window_.set_legend(on); });
    form_->addRow(tr("Le&gend"), legend);
}

void SettingsDialog::add_notices() {
    add_heading(tr("When a queue ends, or a run diverges or fails"));
    auto* notices = new QCheckBox(tr("say so in a line of the &window"));
    notices->setObjectName("settingsNotices");
    notices->setChecked(window_.settings().notices());
    connect(notices, &QCheckBox::toggled, this,
            [this](bool on) { window_.settings().set_notices(on); });
    form_->addRow(notices);
    auto* desktop = new QCheckBox(tr("let the &desktop say so while the window is not in front"));
    desktop->setObjectName("settingsDesktop");
    desktop->setChecked(window_.settings().desktop_messages());
    connect(desktop, &QCheckBox::toggled, this,
            [this](bool on) { window_.settings().set_desktop_messages(on); });
    form_->addRow(desktop);
    if (DesktopNotes::is_possible()) return;
    auto* note = new QLabel(tr("This desktop has no place for such messages."));
    note->setProperty("role", "muted");
    form_->addRow(note);
}

SettingsDialog* show_settings(MainWindow& window) {
    auto* dialog = window.findChild<SettingsDialog*>();
    if (!dialog) dialog = new SettingsDialog(window);
    dialog->show();
    dialog->raise();
    dialog->activateWindow();
    return dialog;
}

}  // namespace headroom
