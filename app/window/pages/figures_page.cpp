#include <QListWidget>
#include <algorithm>
#include <map>
#include <optional>

#include "app/figure/recipe_list.h"
#include "app/study/study_figures.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/figure_commands.h"
#include "app/window/services/figure_drawer.h"
#include "core/base/error.h"
#include "core/study/figure_options.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "panels/figures/figure_controls.h"
#include "panels/figures/figures_panel.h"
#include "panels/figures/new_figure.h"
#include "panels/figures/page_preview.h"
#include "panels/jobs/job_table.h"
#include "panels/qt/panel.h"
#include "panels/study/merged_study.h"

namespace headroom {
namespace {

/// The figures of study.json, drawn anew when what they depend on has changed.
class FiguresPage : public Panel {
  public:
    FiguresPage(const PageInfo& info, const StudioServices& services)
        : Panel(info),
          commands_(services.figures),
          drawer_(new FigureDrawer(services.program, this)),
          panel_(new FiguresPanel(study_recipe_infos())),
          wished_(commands_->newest()) {
        fill_page(this, panel_);
        connect(commands_, &FigureCommands::added, this, [this] { wished_ = commands_->newest(); });
        connect(panel_, &FiguresPanel::choice_changed, this, &FiguresPage::show_choice);
        connect(panel_, &FiguresPanel::add_asked, this, [this](const std::string& recipe) {
            if (recipe == kPanelsRecipe) return add_page();
            if (look_.is_open()) add(new_figure(recipe, look_));
        });
        connect(panel_, &FiguresPanel::duplicate_asked, this, [this] {
            if (current()) add(*current());
        });
        connect(panel_, &FiguresPanel::remove_asked, this, &FiguresPage::remove);
        connect(panel_, &FiguresPanel::move_asked, this, &FiguresPage::move);
        connect(panel_, &FiguresPanel::redraw_asked, this, &FiguresPage::redraw);
        connect(panel_->controls(), &FigureControls::changed, this, &FiguresPage::take_change);
        connect(drawer_, &FigureDrawer::drawn, this,
                [this](const std::string& name, const QImage& page) { take(name, page, {}); });
        connect(drawer_, &FigureDrawer::failed, this,
                [this](const std::string& name, const QString& why) { take(name, {}, why); });
    }

    void set_theme(const Theme&) override {}
    QWidget* options() override { return panel_->controls(); }
    QWidget* focus_target() override { return panel_->gallery(); }
    bool has_picture() const override { return current() && panel_->has_page(); }
    FigurePage picture() const override {
        return draw_recipe(recipe_arguments(*current(), look_.study->folder));
    }
    QString picture_name() const override { return QString::fromStdString(panel_->chosen()); }
    void act() override { redraw(); }
    void fit() override { panel_->preview()->set_zoom(0); }
    void undo() override;
    void redo() override;
    void set_study(const StudyLook& look) override;

  private:
    /// What a person did to one figure: added it (nothing before), changed it, removed it (nothing
    /// after) or moved it (the same before and after).
    struct Change {
        std::optional<StudyFigure> before, after;
        size_t place_before = 0, place_after = 0;  ///< among the figures
    };

    const std::vector<StudyFigure>& figures() const {
        static const std::vector<StudyFigure> none;
        return look_.is_open() ? look_.study->figures : none;
    }
    const StudyFigure* find(const std::string& name) const {
        for (const StudyFigure& figure : figures())
            if (figure.name == name) return &figure;
        return nullptr;
    }
    const StudyFigure* current() const { return find(panel_->chosen()); }
    size_t place_of(const StudyFigure& figure) const {
        return static_cast<size_t>(&figure - figures().data());
    }

    void show_choice();
    void draw_what_changed();
    void redraw();
    void ask(const StudyFigure& figure, bool first);
    bool names_imported(const StudyFigure& figure) const;
    std::string key_of(const StudyFigure& figure) const;
    bool is_running(const StudyFigure& figure) const;
    void take(const std::string& name, const QImage& page, const QString& problem);
    void take_change();
    void add(StudyFigure figure);
    void add_page();
    std::vector<std::string> possible_panels() const;
    void remove();
    void move(int by);
    void remember(Change change);
    void turn(const std::optional<StudyFigure>& from, const std::optional<StudyFigure>& to,
              size_t place);

    FigureCommands* commands_;
    FigureDrawer* drawer_;
    FiguresPanel* panel_;
    StudyLook look_;
    std::string wished_;  ///< to be chosen as soon as study.json has it; "" = stay
    std::map<std::string, std::string> drawn_;  ///< key_of() what was last asked for, by name
    std::vector<Change> changes_;               ///< that can be taken back
    std::vector<Change> undone_;
};

void FiguresPage::set_study(const StudyLook& look) {
    const bool other =
        !look.is_open() || !look_.is_open() || look.study->folder != look_.study->folder;
    if (other) {
        drawn_.clear();
        changes_.clear();
        undone_.clear();
        drawer_->forget_all();
        panel_->forget_pictures();
    }
    look_ = look;
    std::vector<std::pair<std::string, std::string>> runs;
    if (look.is_open())
        for (const RunPointer& run : own_runs(*look.study)) runs.emplace_back(run->id, run->name);
    panel_->controls()->set_runs(runs);
    std::vector<std::string> names;
    for (const StudyFigure& figure : figures()) names.push_back(figure.name);
    panel_->controls()->set_figures(possible_panels());
    panel_->set_names(names, find(wished_) ? wished_ : other ? "" : panel_->chosen());
    if (find(wished_)) wished_.clear();
    show_choice();
}

void FiguresPage::show_choice() {
    const StudyFigure shown = current() ? *current() : StudyFigure{};
    if (shown != panel_->controls()->figure()) panel_->controls()->set_figure(shown);
    draw_what_changed();
    emit picture_changed();
}

/// Everything that the picture depends on: the recipe and how far its runs are.
std::string FiguresPage::key_of(const StudyFigure& figure) const {
    std::string key = figure.recipe;
    for (const std::string& name : figure.panels)
        if (const StudyFigure* panel = find(name)) key += "\n" + name + ":" + key_of(*panel);
    for (const auto& [name, value] : figure.options) key += "\n" + name + "=" + value;
    for (const std::string& id : figure.runs) {
        const RunPointer run = look_.run(id);
        key += "\n" + id;
        if (run)
            key += ":" + std::to_string(run->status.step) + run->name + std::to_string(run->color);
    }
    return key;
}

bool FiguresPage::is_running(const StudyFigure& figure) const {
    return std::any_of(figure.runs.begin(), figure.runs.end(), [this](const std::string& id) {
        const RunPointer run = look_.run(id);
        return run && effective_phase(*run) == RunPhase::kRunning;
    });
}

/// The one that is looked at first. Those whose runs still train wait until somebody looks.
void FiguresPage::draw_what_changed() {
    if (!isVisible()) return;
    for (const StudyFigure& figure : figures()) {
        const std::string& last = drawn_[figure.name];
        if (last == key_of(figure) || drawer_->is_asked(figure.name)) continue;
        const bool seen = figure.name == panel_->chosen();
        if (seen || last.empty() || !is_running(figure)) ask(figure, seen);
    }
}

void FiguresPage::redraw() {
    if (const StudyFigure* figure = current()) ask(*figure, true);
}

void FiguresPage::ask(const StudyFigure& figure, bool first) {
    drawn_[figure.name] = key_of(figure);
    const std::vector<std::string> arguments = recipe_arguments(figure, look_.study->folder);
    const bool has_curves_alone = !draws_imported(figure.recipe) && names_imported(figure);
    if (has_curves_alone && (arguments.empty() || !figure.all_runs))
        return take(figure.name, {},
                    tr("Its runs were imported: no configuration is known of them, and a figure "
                       "of the recipe %1 needs one.")
                        .arg(QString::fromStdString(figure.recipe)));
    if (arguments.empty()) return take(figure.name, {}, tr("None of its runs has begun."));
    drawer_->ask(figure.name, arguments, first);
}

/// Whether a run of another tool is among its runs. All runs of a recipe that needs more than
/// curves leave those out.
bool FiguresPage::names_imported(const StudyFigure& figure) const {
    const std::vector<RunPointer> own = own_runs(*look_.study);
    return std::any_of(own.begin(), own.end(), [&](const RunPointer& run) {
        const bool is_named = figure.all_runs || std::find(figure.runs.begin(), figure.runs.end(),
                                                           run->id) != figure.runs.end();
        return is_named && !run->job && is_imported(RunFolder{run->folder});
    });
}

void FiguresPage::take(const std::string& name, const QImage& page, const QString& problem) {
    panel_->set_picture(name, page, problem);
    if (name == panel_->chosen()) emit picture_changed();
    draw_what_changed();
}

void FiguresPage::take_change() {
    const StudyFigure* before = current();
    const StudyFigure& figure = panel_->controls()->figure();
    if (!before || figure == *before) return;
    const bool renamed = figure.name != before->name;
    if (renamed && (find(figure.name) || !names_a_file(figure.name)))
        return panel_->controls()->refuse_name(*before, commands_->refuse_name(figure.name));
    const std::vector<std::string> arguments = recipe_arguments(figure, look_.study->folder);
    if (!arguments.empty()) try {
            check_recipe(arguments);
        } catch (const UserError&) {  // whose words are the command line's
            return panel_->controls()->refuse_change(*before);
        }
    remember({*before, figure, place_of(*before), place_of(*before)});
    if (renamed) wished_ = figure.name;
    commands_->replace(figure, before->name);
}

void FiguresPage::add(StudyFigure figure) {
    commands_->add(std::move(figure), [this, place = figures().size()](const StudyFigure& added) {
        remember({std::nullopt, added, place, place});
    });
}

/// Whatever is no page of panels itself.
std::vector<std::string> FiguresPage::possible_panels() const {
    std::vector<std::string> names;
    for (const StudyFigure& figure : figures())
        if (figure.recipe != kPanelsRecipe) names.push_back(figure.name);
    return names;
}

/// A page begins with the figure that is looked at and the next one.
void FiguresPage::add_page() {
    std::vector<std::string> names = possible_panels();
    const auto chosen = std::find(names.begin(), names.end(), panel_->chosen());
    if (chosen != names.end()) std::rotate(names.begin(), chosen, names.end());
    if (names.size() < 2) return commands_->refuse_page();
    names.resize(2);
    add({kPanelsRecipe, kPanelsRecipe, {}, {}, false, std::move(names)});
}

void FiguresPage::remove() {
    const StudyFigure* figure = current();
    if (!figure) return;
    for (const StudyFigure& page : figures())
        if (std::find(page.panels.begin(), page.panels.end(), figure->name) != page.panels.end())
            return commands_->refuse_removal(figure->name, page.name);
    remember({*figure, std::nullopt, place_of(*figure), place_of(*figure)});
    commands_->remove(figure->name);
}

void FiguresPage::move(int by) {
    const StudyFigure* figure = current();
    if (!figure) return;
    const size_t from = place_of(*figure);
    if (by < 0 ? from == 0 : from + 1 >= figures().size()) return;
    const size_t to = by < 0 ? from - 1 : from + 1;
    remember({*figure, *figure, from, to});
    commands_->move(figure->name, to);
}

void FiguresPage::remember(Change change) {
    changes_.push_back(std::move(change));
    undone_.clear();
    emit stepped();
}

void FiguresPage::turn(const std::optional<StudyFigure>& from, const std::optional<StudyFigure>& to,
                       size_t place) {
    if (!to) return commands_->remove(from->name);
    wished_ = to->name;
    if (from == to)
        commands_->move(to->name, place);
    else if (from)
        commands_->replace(*to, from->name);
    else
        commands_->put_back(*to, place);
}

void FiguresPage::undo() {
    if (changes_.empty()) return;
    const Change& last = undone_.emplace_back(std::move(changes_.back()));
    changes_.pop_back();
    turn(last.after, last.before, last.place_before);
}

void FiguresPage::redo() {
    if (undone_.empty()) return;
    const Change& next = changes_.emplace_back(std::move(undone_.back()));
    undone_.pop_back();
    turn(next.before, next.after, next.place_after);
}

}  // namespace

Page figures_page() {
    return {
        {"figures", Panel::tr("Figures"),
         Panel::tr("The figures that study.json names, each a recipe that is drawn anew when its "
                   "runs have moved on; the queue writes all of them into figures/ when it ends. "
                   "The page is shown as the PDF will be; 100 % is its size on paper. What you "
                   "change here is written into study.json.")},
        make_panel<FiguresPage>};
}

}  // namespace headroom
