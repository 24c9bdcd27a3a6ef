#include "panels/launch/launch_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "panels/launch/field_editor.h"
#include "panels/launch/launch_match.h"
#include "panels/launch/launch_summary.h"
#include "panels/launch/match_box.h"
#include "panels/launch/probe_choices.h"
#include "panels/qt/elided_label.h"
#include "panels/qt/labelled.h"
#include "panels/qt/style_property.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {

namespace {

QFormLayout* make_form() {
    auto* form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    form->setHorizontalSpacing(16);
    form->setVerticalSpacing(7);
    return form;
}

constexpr int kLabelWidth = 118;

/// Items of the list of presets, with the lines between groups.
int count_with_lines(const std::vector<PresetChoice>& presets) {
    int count = static_cast<int>(presets.size());
    for (size_t i = 1; i < presets.size(); ++i) count += presets[i - 1].group != presets[i].group;
    return count;
}

}  // namespace

LaunchPanel::LaunchPanel(QWidget* parent)
    : QWidget(parent),
      offer_(new QLabel),
      preset_(new QComboBox),
      preset_help_(new QLabel),
      variants_(new QWidget),
      variants_grid_(new QGridLayout(variants_)),
      variants_error_(make_hint("error")),
      seeds_(new QLineEdit),
      seeds_hint_(make_hint("muted")),
      name_(new QLineEdit),
      scroll_(new QScrollArea),
      show_all_(new QCheckBox(tr("Show all settings"))),
      summary_(new LaunchSummary),
      match_(new MatchBox),
      probes_(new ProbeChoices) {
    WheelGuard::protect(preset_);
    scroll_->setObjectName("launchScroll");
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);  // its fields scroll it
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll_->setWidget(make_choices());
    scroll_->viewport()->installEventFilter(this);
    auto* splitter = new QSplitter;
    splitter->addWidget(scroll_);
    splitter->addWidget(summary_);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 1);
    splitter->setSizes({600, 480});
    splitter->setChildrenCollapsible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(splitter);

    connect(preset_, &QComboBox::textActivated, this,
            [this](const QString& text) { change_input(with_preset(input_, text.toStdString())); });
    connect(offer_, &QLabel::linkActivated, this, [this](const QString& link) {
        link == "take" ? emit offer_taken() : emit offer_forgotten();
    });
    connect(seeds_, &QLineEdit::textEdited, this, [this](const QString& text) {
        input_.seeds = text.toStdString();
        emit input_changed();
    });
    connect(name_, &QLineEdit::textEdited, this, [this](const QString& text) {
        input_.name = text.trimmed().toStdString();
        emit input_changed();
    });
    connect(summary_, &LaunchSummary::undo_asked, this, &LaunchPanel::undo_asked);
    connect(summary_, &LaunchSummary::problem_asked, this, &LaunchPanel::go_to);
    connect(probes_, &ProbeChoices::edited, this, &LaunchPanel::probe_asked);
    connect(match_, &MatchBox::asked, this, &LaunchPanel::match_asked);
    connect(match_, &MatchBox::chosen, this, [this](const MatchProposal& proposal) {
        const std::string what = proposal.exact ? "equal" : proposal.effect;
        const bool one = proposal.by_variant.empty();
        change_input(with_settings(input_, proposal),
                     one ? proposal.label + " is in the form: " + what
                         : "Each variant has a size of its own now:\n" + proposal.effect);
    });
    connect(show_all_, &QCheckBox::toggled, this, [this] {
        show_variants();
        show_rows();
    });
}

QWidget* LaunchPanel::make_choices() {
    offer_->setObjectName("launchOffer");
    offer_->setWordWrap(true);
    offer_->setTextFormat(Qt::RichText);
    offer_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    offer_->setText(
        tr("A form that was not queued is left from before: <a href=\"take\">take it "
           "up</a> or <a href=\"forget\">forget it</a>."));
    offer_->hide();
    preset_->setObjectName("preset");
    seeds_->setObjectName("seeds");
    name_->setObjectName("name");
    show_all_->setObjectName("showAll");
    preset_help_->setProperty("role", "muted");
    preset_help_->setWordWrap(true);
    constexpr int kLinesOfHelp = 2;
    preset_help_->setMinimumHeight(kLinesOfHelp * preset_help_->fontMetrics().lineSpacing());
    preset_help_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    seeds_->setToolTip(
        tr("One run for each variant, seed and value of a list: 1, or 1, 2, 5, or 1-3"));
    name_->setPlaceholderText(tr("optional, before the variant's name"));
    variants_grid_->setContentsMargins(0, 0, 0, 0);
    variants_grid_->setHorizontalSpacing(18);
    variants_grid_->setVerticalSpacing(4);

    auto* form = make_form();
    const auto add = [form](const QString& label, QWidget* field,
                            std::initializer_list<QLabel*> below = {}) {
        auto* box = new QWidget;
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 0, 0, 0);
        column->setSpacing(2);
        column->addWidget(field);
        for (QLabel* label_below : below) column->addWidget(label_below);
        auto* text = new QLabel(label);
        text->setFixedWidth(kLabelWidth);
        text->setBuddy(field);
        field->setAccessibleName(label);
        form->addRow(text, box);
    };
    add(tr("Preset"), preset_, {preset_help_});
    add(tr("Variants"), variants_, {variants_error_});
    add(tr("Seeds"), seeds_, {seeds_hint_});
    add(tr("Name"), name_);

    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(10);
    column->addWidget(offer_);
    column->addWidget(make_heading(tr("What to train")));
    column->addLayout(form);
    column->addWidget(make_heading(tr("Match a baseline")));
    column->addWidget(match_);
    column->addWidget(make_heading(tr("Probes during training")));
    column->addWidget(probes_);
    sections_ = new QVBoxLayout;
    sections_->setSpacing(10);
    column->addLayout(sections_);
    column->addWidget(show_all_);
    column->addStretch(1);
    return page;
}

/// The proposals were made for the form as it was.
void LaunchPanel::change_input(const LaunchInput& input, const std::string& note) {
    input_ = input;
    match_->clear(note);
    emit input_changed();
}

void LaunchPanel::show_match(const LaunchMatch& match) {
    if (match.input == input_) match_->show_match(match);
}

void LaunchPanel::set_input(const LaunchInput& input) {
    if (!(input == input_)) match_->clear();
    input_ = input;
    seeds_->setText(QString::fromStdString(input.seeds));
    name_->setText(QString::fromStdString(input.name));
}

void LaunchPanel::set_offer(bool offered) {
    offer_->setVisible(offered);
}

void LaunchPanel::set_view(const LaunchView& view) {
    if (preset_->count() != count_with_lines(view.presets)) make_presets(view);
    const bool is_first = variant_boxes_.empty();
    if (is_first) {
        make_variants(view);
        make_sections(view);
    }
    match_->set_baselines(view.baselines, view.usual_baseline);
    const QSignalBlocker quiet(preset_);
    preset_->setCurrentText(QString::fromStdString(input_.preset));
    preset_help_->setText(QString::fromStdString(view.preset_help));
    for (const VariantChoice& choice : view.variants) {
        QCheckBox* box = variant_box(choice.arch);
        box->setChecked(choice.chosen);
        // A chosen variant that is refused stays enabled, so that it can be taken back.
        box->setEnabled(choice.refused.empty() || choice.chosen);
        box->setToolTip(QString::fromStdString(
            choice.refused.empty() ? choice.help : choice.help + "\n" + choice.refused));
    }
    show_variants();
    show_hint(variants_error_, view.variants_error);
    const bool refused = !view.seeds_error.empty();
    set_style_property(*seeds_hint_, "role", refused ? "error" : "muted");
    show_hint(seeds_hint_, refused ? view.seeds_error : view.seeds_note);
    for (const LaunchSection& section : view.sections) {
        for (const LaunchField& field : section.fields) {
            Row& row = rows_.at(field.field->path);
            row.editor->show_field(field);
            row.relevant = field.relevant;
        }
    }
    show_rows();
    probes_->set_choices(view.probes, view.probes_error);
    if (is_first) put_in_tab_order();
    summary_->set_view(view);
}

/// A line between groups. Studies with a model of their own offer one preset more.
void LaunchPanel::make_presets(const LaunchView& view) {
    const QSignalBlocker quiet(preset_);
    preset_->clear();
    for (size_t i = 0; i < view.presets.size(); ++i) {
        const PresetChoice& preset = view.presets[i];
        if (i > 0 && view.presets[i - 1].group != preset.group)
            preset_->insertSeparator(preset_->count());
        preset_->addItem(QString::fromStdString(preset.name));
        preset_->setItemData(preset_->count() - 1, QString::fromStdString(preset.help),
                             Qt::ToolTipRole);
    }
    constexpr int kMostShown = 24;
    preset_->setMaxVisibleItems(kMostShown);
}

void LaunchPanel::make_variants(const LaunchView& view) {
    for (const VariantChoice& choice : view.variants) {
        auto* box = new QCheckBox(QString::fromStdString(choice.title), variants_);
        box->setObjectName("variant:" + QString::fromStdString(choice.arch));
        variant_boxes_.emplace_back(choice.arch, box);
        connect(box, &QCheckBox::clicked, this, [this, arch = choice.arch](bool on) {
            change_input(with_variant(input_, arch, on));
        });
    }
}

/// Variants that these sizes or this version refuse are listed only among all settings.
void LaunchPanel::show_variants() {
    int shown = 0;
    for (const auto& [arch, box] : variant_boxes_) {
        const bool visible = box->isEnabled() || show_all_->isChecked();
        box->setVisible(visible);
        if (!visible) continue;
        variants_grid_->addWidget(box, shown / variant_columns_, shown % variant_columns_,
                                  Qt::AlignLeft);
        ++shown;
    }
    variants_grid_->setColumnStretch(variant_columns_ - 1, 1);
}

/// Fewer columns of variants where three would be cut.
bool LaunchPanel::eventFilter(QObject* watched, QEvent* event) {
    constexpr int kWidthOfThree = 540;
    if (watched == scroll_->viewport() && event->type() == QEvent::Resize) {
        const int columns = scroll_->viewport()->width() < kWidthOfThree ? 2 : 3;
        if (std::exchange(variant_columns_, columns) != columns) show_variants();
    }
    return QWidget::eventFilter(watched, event);
}

void LaunchPanel::make_sections(const LaunchView& view) {
    for (const LaunchSection& section : view.sections) {
        auto* box = new QWidget;
        auto* column = new QVBoxLayout(box);
        column->setContentsMargins(0, 8, 0, 0);
        column->addWidget(make_heading(QString::fromStdString(section.title)));
        auto* form = make_form();
        column->addLayout(form);
        std::vector<std::string> paths;
        for (const LaunchField& field : section.fields) {
            auto* editor = new FieldEditor(*field.field);
            editor->label()->setFixedWidth(kLabelWidth);
            form->addRow(editor->label(), editor);
            rows_[field.field->path] = {editor, form, true};
            paths.push_back(field.field->path);
            connect(editor, &FieldEditor::edited, this, &LaunchPanel::change_value);
        }
        sections_->addWidget(box);
        section_boxes_.emplace_back(box, std::move(paths));
    }
}

/// What Tab stops at within `box`, in its order.
static std::vector<QWidget*> stops_in(QWidget* box) {
    std::vector<QWidget*> stops;
    for (QWidget* each = box->nextInFocusChain(); each != box; each = each->nextInFocusChain())
        if (box->isAncestorOf(each) && (each->focusPolicy() & Qt::TabFocus) != 0)
            stops.push_back(each);
    return stops;
}

/// From above downwards: half of the form is made when it is first shown, and would come last.
void LaunchPanel::put_in_tab_order() {
    QWidget* before = preset_;
    const auto put = [&before](QWidget* next) {
        setTabOrder(before, next);
        before = next;
    };
    const auto put_all = [&put](QWidget* box) {
        for (QWidget* each : stops_in(box)) put(each);
    };
    put_all(variants_);
    put(seeds_);
    put(name_);
    put_all(match_);
    put_all(probes_);
    for (const auto& [box, paths] : section_boxes_) put_all(box);
    put(show_all_);
}

/// Advanced and ineffective fields are hidden unless asked for; one with a mistake never is.
void LaunchPanel::show_rows() {
    const bool all = show_all_->isChecked();
    for (const auto& [box, paths] : section_boxes_) {
        bool any = false;
        for (const std::string& path : paths) {
            const Row& row = rows_.at(path);
            const bool changed = input_.values.contains(path);
            const bool shown = row.editor->has_error() || changed ||
                               (row.relevant && (all || !row.editor->is_advanced()));
            row.editor->setVisible(shown);
            row.editor->label()->setVisible(shown);
            any = any || shown;
        }
        box->setVisible(any);
    }
}

void LaunchPanel::change_value(const std::string& path, const QString& text) {
    const LaunchInput changed = with_value(input_, path, text.trimmed().toStdString());
    const bool lost = changed.sizes != input_.sizes;
    change_input(changed, lost ? "The model has changed: match the variants again" : "");
}

void LaunchPanel::go_to(const std::string& path) {
    QWidget* place = path == "seeds" ? static_cast<QWidget*>(seeds_) : nullptr;
    if (path == "variants" && !variant_boxes_.empty()) place = variant_boxes_.front().second;
    if (path == "probes") place = probes_;
    if (FieldEditor* field = editor(path)) place = field->input();
    if (place == nullptr) return;
    scroll_->ensureWidgetVisible(place);
    place->setFocus();
}

FieldEditor* LaunchPanel::editor(const std::string& path) const {
    const auto at = rows_.find(path);
    return at == rows_.end() ? nullptr : at->second.editor;
}

QCheckBox* LaunchPanel::variant_box(const std::string& arch) const {
    for (const auto& [name, box] : variant_boxes_)
        if (name == arch) return box;
    return nullptr;
}

}  // namespace headroom
