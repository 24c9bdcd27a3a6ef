#include "app/window/shell/settings_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/study/run_slots.h"
#include "app/window/main_window.h"
#include "app/window/services/desktop_notes.h"
#include "panels/qt/labelled.h"

namespace headroom {

SettingsPage::SettingsPage(MainWindow& window)
    : QWidget(&window), window_(window), form_(new QFormLayout) {
    setObjectName("settingsPage");
    form_->setHorizontalSpacing(20);
    form_->setVerticalSpacing(10);
    add_look();
    add_views();
    add_queue();
    add_notices();
    constexpr int kWidest = 720;
    auto* page = new QWidget;
    page->setMaximumWidth(kWidest);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(24, 18, 24, 18);
    column->setSpacing(14);
    column->addWidget(make_top());
    column->addLayout(form_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setAlignment(Qt::AlignHCenter);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setWidget(page);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(scroll);
}

QWidget* SettingsPage::make_top() {
    auto* top = new QWidget;
    auto* row = new QHBoxLayout(top);
    row->setContentsMargins(0, 0, 0, 0);
    auto* title = new QLabel(tr("Settings"));
    title->setProperty("role", "title");
    row->addWidget(title, 1);
    auto* back = new QPushButton(tr("Back (Esc)"));
    back->setObjectName("settingsBack");
    connect(back, &QPushButton::clicked, this, &SettingsPage::left);
    row->addWidget(back);
    return top;
}

QCheckBox* SettingsPage::add_box(const QString& label, const QString& text, const char* name,
                                 std::function<bool()> value, std::function<void(bool)> set) {
    auto* box = new QCheckBox(text);
    box->setObjectName(name);
    refreshes_.emplace_back([box, value = std::move(value)] {
        const QSignalBlocker quiet(box);
        box->setChecked(value());
    });
    connect(box, &QCheckBox::toggled, this, [set = std::move(set)](bool on) { set(on); });
    if (label.isEmpty())
        form_->addRow(box);
    else
        form_->addRow(label, box);
    return box;
}

void SettingsPage::add_look() {
    form_->addRow(make_heading(tr("Look")));
    auto* theme = new QComboBox;
    theme->setObjectName("settingsTheme");
    for (const QString& name : {tr("As the desktop"), tr("Light"), tr("Dark")})
        theme->addItem(name);
    refreshes_.emplace_back(
        [=, this] { theme->setCurrentIndex(static_cast<int>(window_.settings().theme())); });
    connect(theme, &QComboBox::activated, this,
            [this](int index) { window_.set_theme(static_cast<ThemeChoice>(index)); });
    form_->addRow(tr("&Theme"), theme);
    first_ = theme;
    auto* size = new QSpinBox;
    size->setObjectName("settingsTextSize");
    size->setRange(80, 200);
    size->setSingleStep(10);
    size->setSuffix(" %");
    size->setKeyboardTracking(false);
    refreshes_.emplace_back([=, this] {
        const QSignalBlocker quiet(size);
        size->setValue(window_.settings().text_percent());
    });
    connect(size, &QSpinBox::valueChanged, this,
            [this](int percent) { window_.set_text_size(percent); });
    form_->addRow(tr("Te&xt size"), size);
}

void SettingsPage::add_views() {
    form_->addRow(make_heading(tr("Views")));
    auto* first = new QComboBox;
    first->setObjectName("settingsFirstNumber");
    first->addItem(tr("from 0, as files and options do"));
    first->addItem(tr("from 1"));
    first->setToolTip(
        tr("In labels of views and of figures made from them; files, CSV and options always count "
           "from 0. A study's figure keeps what it was made with (--count-from)"));
    refreshes_.emplace_back(
        [=, this] { first->setCurrentIndex(window_.settings().first_number()); });
    connect(first, &QComboBox::activated, this,
            [this](int number) { window_.set_first_number(number); });
    form_->addRow(tr("&Layers and heads count"), first);
    add_box(
        tr("Le&gend"), tr("in the charts of the curves, beside the run list"), "settingsLegend",
        [this] { return window_.legend(); }, [this](bool on) { window_.set_legend(on); });
}

void SettingsPage::add_queue() {
    form_->addRow(make_heading(tr("Queue")));
    auto* spin = new QSpinBox;
    spin->setObjectName("settingsSlots");
    spin->setRange(0, kMostRunSlots);
    spin->setSpecialValueText(tr("one, or one for each GPU"));
    spin->setKeyboardTracking(false);
    spin->setToolTip(
        tr("From the next start of a queue on. On the processor runs share its threads: losses do "
           "not depend on it, and small models finish sooner with one thread each"));
    refreshes_.emplace_back([=, this] {
        const QSignalBlocker quiet(spin);
        spin->setValue(window_.settings().run_slots());
    });
    connect(spin, &QSpinBox::valueChanged, this,
            [this](int value) { window_.set_run_slots(value); });
    form_->addRow(tr("&Runs trained at a time"), spin);
}

void SettingsPage::add_notices() {
    form_->addRow(make_heading(tr("When a queue ends, or a run diverges or fails")));
    add_box(
        {}, tr("say so in a line of the &window"), "settingsNotices",
        [this] { return window_.settings().notices(); },
        [this](bool on) { window_.settings().set_notices(on); });
    add_box(
        {}, tr("let the &desktop say so while the window is not in front"), "settingsDesktop",
        [this] { return window_.settings().desktop_messages(); },
        [this](bool on) { window_.settings().set_desktop_messages(on); });
    if (DesktopNotes::is_possible()) return;
    auto* note = new QLabel(tr("This desktop has no place for such messages."));
    note->setProperty("role", "muted");
    form_->addRow(note);
}

void SettingsPage::focus_first() {
    first_->setFocus(Qt::TabFocusReason);
}

void SettingsPage::showEvent(QShowEvent* event) {
    for (const auto& refresh : refreshes_) refresh();
    QWidget::showEvent(event);
}

}  // namespace headroom
