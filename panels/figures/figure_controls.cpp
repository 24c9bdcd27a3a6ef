#include "panels/figures/figure_controls.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include <fmt/format.h>

#include "core/study/figure_options.h"
#include "panels/figures/inches_box.h"
#include "panels/figures/venues.h"
#include "panels/qt/style_property.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {

namespace {

InchesBox* make_inches(const QString& name) {
    auto* box = new InchesBox(name);
    box->setMinimumWidth(72);
    return box;
}

/// The default stands first, for no word in the file.
QComboBox* make_choice(const RecipeOption& option) {
    auto* list = new QComboBox;
    WheelGuard::protect(list);
    if (!option.required)
        list->addItem(option.fallback.empty() ? FigureControls::tr("as usual")
                                              : QString::fromStdString(option.fallback),
                      QString());
    for (const std::string& word : option.choices)
        if (word != option.fallback)
            list->addItem(QString::fromStdString(word), QString::fromStdString(word));
    return list;
}

std::string inches_text(double inches) {
    return inches > 0 ? fmt::format("{}", inches) : std::string();
}

}  // namespace

FigureControls::FigureControls(std::vector<RecipeInfo> recipes)
    : recipes_(std::move(recipes)),
      name_(new QLineEdit),
      title_(new QLineEdit),
      recipe_(new QLabel),
      runs_title_(new QLabel),
      all_runs_(new QCheckBox(tr("All runs, also those to come"))),
      notes_(new QCheckBox(tr("Small print below"))),
      runs_(new QListWidget),
      venue_(new QComboBox),
      theme_(new QComboBox),
      width_(make_inches(tr("Width"))),
      height_(make_inches(tr("Height"))),
      own_place_(new QWidget) {
    own_ = new QFormLayout(own_place_);
    own_->setContentsMargins(0, 0, 0, 0);
    own_->setRowWrapPolicy(QFormLayout::WrapLongRows);
    lay_out();
    connect(name_, &QLineEdit::editingFinished, this, &FigureControls::take_name);
    connect(title_, &QLineEdit::editingFinished, this,
            [this] { set_option("title", title_->text().toStdString()); });
    connect(all_runs_, &QCheckBox::toggled, this, &FigureControls::take_runs);
    connect(runs_, &QListWidget::itemChanged, this, &FigureControls::take_runs);
    connect(runs_->model(), &QAbstractItemModel::rowsMoved, this, &FigureControls::take_runs);
    connect(notes_, &QCheckBox::toggled, this,
            [this](bool on) { set_option("no-notes", on ? "" : "true"); });
    connect(venue_, &QComboBox::activated, this, &FigureControls::take_venue);
    connect(theme_, &QComboBox::activated, this,
            [this](int index) { set_option("theme", index == 1 ? "dark" : ""); });
    connect(width_, &QDoubleSpinBox::valueChanged, this,
            [this](double inches) { set_option("width", inches_text(inches)); });
    connect(height_, &QDoubleSpinBox::valueChanged, this,
            [this](double inches) { set_option("height", inches_text(inches)); });
}

QWidget* FigureControls::make_size_row() {
    auto* row = new QWidget;
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(width_, 1);
    line->addWidget(new QLabel("×"));
    line->addWidget(height_, 1);
    return row;
}

void FigureControls::lay_out() {
    name_->setObjectName("figureName");
    title_->setObjectName("figureTitle");
    title_->setToolTip(tr("A paper says it in the caption"));
    title_->setPlaceholderText(tr("none"));
    venue_->setObjectName("figureVenue");
    fill_venues(*venue_, tr("as the recipe asks"));
    theme_->addItems({tr("light"), tr("dark")});
    for (QComboBox* box : {venue_, theme_}) {
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(8);
    }
    runs_->setObjectName("figureRuns");
    runs_->setMaximumHeight(132);
    runs_->setWordWrap(true);  // names are read whole in a narrow pane, too
    runs_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    all_runs_->setObjectName("figureAllRuns");
    recipe_->setWordWrap(true);
    auto* form = new QFormLayout;
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->addRow(tr("Name"), name_);
    form->addRow(tr("Fits"), venue_);
    form->addRow(tr("Size"), make_size_row());
    form->addRow(tr("Title"), title_);
    form->addRow(tr("Theme"), theme_);
    form->addRow(notes_);
    auto* column = new QVBoxLayout(this);
    column->addWidget(recipe_);
    column->addLayout(form);
    column->addWidget(runs_title_);
    column->addWidget(all_runs_);
    column->addWidget(runs_);
    column->addWidget(own_place_);
    column->addStretch(1);
}

void FigureControls::set_runs(const std::vector<std::pair<std::string, std::string>>& runs) {
    if (runs == known_runs_) return;
    known_runs_ = runs;
    filling_ = true;
    fill_runs();
    fill_run_lists();
    filling_ = false;
}

void FigureControls::set_figures(const std::vector<std::string>& names) {
    if (names == known_figures_) return;
    known_figures_ = names;
    filling_ = true;
    fill_runs();
    filling_ = false;
}

void FigureControls::set_figure(const StudyFigure& figure) {
    figure_ = figure;
    fill();
}

std::string FigureControls::option(const std::string& name) const {
    const auto found = figure_.options.find(name);
    return found == figure_.options.end() ? "" : found->second;
}

void FigureControls::fill() {
    filling_ = true;
    setEnabled(!figure_.name.empty());
    name_->setText(QString::fromStdString(figure_.name));
    mark_wrong(*name_, "", "");
    title_->setText(QString::fromStdString(option("title")));
    theme_->setCurrentIndex(option("theme") == "dark" ? 1 : 0);
    notes_->setChecked(option("no-notes") != "true");
    fill_size();
    fill_runs();
    fill_options();
    filling_ = false;
}

void FigureControls::fill_size() {
    const double width = QString::fromStdString(option("width")).toDouble();
    width_->setValue(width);
    height_->setValue(QString::fromStdString(option("height")).toDouble());
    show_venue(*venue_, width);
}

void FigureControls::fill_runs() {
    runs_->clear();
    const bool page = figure_.recipe == kPanelsRecipe;
    runs_title_->setText(page ? tr("Panels, in their order") : tr("Runs"));
    runs_->setAccessibleName(runs_title_->text());
    runs_->setDragDropMode(page ? QAbstractItemView::InternalMove : QAbstractItemView::NoDragDrop);
    all_runs_->setVisible(!page);
    if (page) return fill_panels();
    all_runs_->setChecked(figure_.all_runs);
    runs_->setEnabled(!figure_.all_runs);
    for (const auto& [id, name] : known_runs_) {
        const bool drawn = figure_.all_runs || std::find(figure_.runs.begin(), figure_.runs.end(),
                                                         id) != figure_.runs.end();
        add_choice(id, name, drawn);
    }
}

/// Those on the page, in their order, then the others.
void FigureControls::fill_panels() {
    const std::vector<std::string>& on_page = figure_.panels;
    runs_->setEnabled(true);
    for (const std::string& name : on_page) add_choice(name, name, true);
    for (const std::string& name : known_figures_)
        if (std::find(on_page.begin(), on_page.end(), name) == on_page.end())
            add_choice(name, name, false);
}

void FigureControls::add_choice(const std::string& key, const std::string& name, bool chosen) {
    auto* item = new QListWidgetItem(QString::fromStdString(name), runs_);
    item->setData(Qt::UserRole, QString::fromStdString(key));
    item->setToolTip(QString::fromStdString(key));
    item->setCheckState(chosen ? Qt::Checked : Qt::Unchecked);
}

std::vector<std::string> FigureControls::choices() const {
    std::vector<std::string> keys;
    for (int i = 0; i < runs_->count(); ++i)
        if (runs_->item(i)->checkState() == Qt::Checked)
            keys.push_back(runs_->item(i)->data(Qt::UserRole).toString().toStdString());
    return keys;
}

/// Fields stay as long as the recipe does, and with them what a person is typing into one.
void FigureControls::fill_options() {
    if (filled_recipe_ == figure_.recipe) {
        for (const auto& [name, field] : fields_) {
            if (field.text && field.text->hasFocus()) continue;
            show_option(field, option(name));
            if (field.text) mark_wrong(*field.text, "", field.help);
        }
        return;
    }
    filled_recipe_ = figure_.recipe;
    while (own_->rowCount() > 0) own_->removeRow(0);
    fields_.clear();
    recipe_->clear();
    for (const RecipeInfo& recipe : recipes_) {
        if (recipe.name != figure_.recipe) continue;
        recipe_->setText(
            QString("<b>%1</b> · %2")
                .arg(QString::fromStdString(recipe.name), QString::fromStdString(recipe.help)));
        for (const RecipeOption& each : recipe.options) add_option(each);
    }
}

void FigureControls::add_option(const RecipeOption& each) {
    const QString name = QString::fromStdString(each.name);
    Field& field = fields_[each.name];
    field.help = QString::fromStdString(each.help);
    QWidget* input = make_field(each, field);
    input->setObjectName("figureOption:" + name);
    input->setToolTip(field.help);
    show_option(field, option(each.name));
    if (field.box) return own_->addRow(input);
    own_->addRow(name, input);
    own_->labelForField(input)->setToolTip(field.help);
}

void FigureControls::list_runs(QComboBox& list) const {
    list.clear();
    list.addItem(tr("none"), QString());
    for (const auto& [id, name] : known_runs_)
        list.addItem(QString::fromStdString(name), QString::fromStdString(id));
}

void FigureControls::fill_run_lists() {
    for (const auto& [name, field] : fields_) {
        if (!names_run(name) || !field.choice) continue;
        list_runs(*field.choice);
        show_option(field, option(name));
    }
}

/// A box to tick, a list of the few words or the runs that it may be, or a line for whatever else.
QWidget* FigureControls::make_field(const RecipeOption& each, Field& field) {
    const std::string key = each.name;
    if (each.is_switch) {
        field.box = new QCheckBox(QString::fromStdString(key));
        connect(field.box, &QCheckBox::toggled, this,
                [this, key](bool on) { set_option(key, on ? "true" : ""); });
        return field.box;
    }
    if (names_run(each.name) || !each.choices.empty()) {
        field.choice = make_choice(each);
        if (names_run(each.name)) list_runs(*field.choice);
        connect(field.choice, &QComboBox::activated, this, [this, key, list = field.choice] {
            set_option(key, list->currentData().toString().toStdString());
        });
        return field.choice;
    }
    field.text = new QLineEdit;
    field.text->setPlaceholderText(QString::fromStdString(each.fallback));
    connect(field.text, &QLineEdit::editingFinished, this, [this, key, line = field.text] {
        set_option(key, line->text().trimmed().toStdString());
    });
    return field.text;
}

void FigureControls::show_option(const Field& field, const std::string& value) {
    const QString text = QString::fromStdString(value);
    if (field.box) field.box->setChecked(value == "true");
    if (field.text) field.text->setText(text);
    if (!field.choice) return;
    int at = field.choice->findData(text);
    if (at < 0) at = field.choice->findText(text);  // the default, written out
    if (at < 0) {                                   // somebody wrote it into the file
        at = field.choice->count();
        field.choice->addItem(text, text);
    }
    field.choice->setCurrentIndex(at);
}

void FigureControls::set_option(const std::string& name, const std::string& value) {
    if (filling_) return;
    if (const auto own = fields_.find(name); own != fields_.end() && own->second.text)
        mark_wrong(*own->second.text, "", own->second.help);
    if (option(name) == value) return;
    if (value.empty())
        figure_.options.erase(name);
    else
        figure_.options[name] = value;
    finish();
}

void FigureControls::refuse_change(const StudyFigure& before) {
    const std::map<std::string, std::string> wanted = figure_.options;
    figure_ = before;
    for (const auto& [name, field] : fields_) {
        const auto typed = wanted.find(name);
        const std::string value = typed == wanted.end() ? "" : typed->second;
        if (value == option(name)) continue;
        if (field.choice) show_option(field, option(name));  // as it stays
        if (field.text == nullptr) continue;
        mark_wrong(*field.text,
                   tr("“%1” is not what it wants; the figure stays as it is. %2")
                       .arg(QString::fromStdString(value), field.help),
                   field.help);
    }
}

void FigureControls::refuse_name(const StudyFigure& before, const QString& why) {
    figure_ = before;
    mark_wrong(*name_, why, "");
}

void FigureControls::take_venue() {
    if (venue_width(*venue_) >= 0) width_->setValue(venue_width(*venue_));
}

void FigureControls::take_name() {
    const std::string name = name_->text().trimmed().toStdString();
    if (filling_) return;
    mark_wrong(*name_, "", "");
    if (name == figure_.name || name.empty()) return;
    figure_.name = name;
    finish();
}

void FigureControls::take_runs() {
    if (filling_) return;
    if (figure_.recipe == kPanelsRecipe) return take_panels();
    StudyFigure chosen = figure_;
    chosen.all_runs = all_runs_->isChecked();
    chosen.runs = choices();
    if (chosen.all_runs) {
        chosen.runs.clear();
        for (const auto& [id, name] : known_runs_) chosen.runs.push_back(id);
    }
    runs_->setEnabled(!chosen.all_runs);
    if (chosen.runs.empty()) return;  // a figure of nothing: wait for the next tick
    figure_ = std::move(chosen);
    finish();
}

/// One panel is no page: wait for the next tick.
void FigureControls::take_panels() {
    std::vector<std::string> panels = choices();
    if (panels.size() < 2 || panels == figure_.panels) return;
    figure_.panels = std::move(panels);
    finish();
}

void FigureControls::finish() {
    const QSignalBlocker blocked(width_);
    filling_ = true;
    fill_size();
    filling_ = false;
    emit changed();
}

}  // namespace headroom
