#include <QSettings>
#include <algorithm>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "panels/compare/compare_panel.h"
#include "panels/qt/panel.h"
#include "panels/study/model_words.h"

namespace headroom {
namespace {

/// Ids of the presets among the baselines to choose from; runs have their own.
const std::string kPresetPrefix = "preset:";

/// The job of a preset alone; nothing where it does not stand by itself.
std::shared_ptr<const Job> job_or_nothing(const std::string& preset) {
    try {
        return std::make_shared<Job>(preset_job(preset));
    } catch (const std::exception&) {
        return nullptr;
    }
}

class ComparePage : public Panel {
  public:
    explicit ComparePage(const PageInfo& info) : Panel(info), panel_(new ComparePanel) {
        fill_page(this, panel_);
        connect(panel_, &ComparePanel::export_asked, this, &Panel::export_asked);
        connect(panel_, &ComparePanel::choice_changed, this, [this] {
            chosen_ = panel_->choice();
            show();
        });
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    bool has_picture() const override { return !panel_->view().empty(); }
    FigurePage picture() const override { return panel_->page(); }
    std::optional<StudyFigure> recipe() const override {
        if (compared_.size() < 2 || !look_.run(ids_.first) || !look_.run(ids_.second))
            return std::nullopt;  // a preset is no run of the study
        return StudyFigure{"architectures",
                           "architecture",
                           {ids_.first, ids_.second},
                           {{"mark-differences", "true"}}};
    }
    QString picture_name() const override { return "architectures"; }

    void save(QSettings& store) const override {
        store.setValue("compare/with", QString::fromStdString(chosen_));
    }
    void restore(QSettings& store) override {
        chosen_ = store.value("compare/with").toString().toStdString();
        show();
    }

    void relabel() override { compared_.clear(); }
    void set_study(const StudyLook& look) override {
        if (!look_.reference.empty() && look.reference != look_.reference) chosen_.clear();
        look_ = look;
        std::vector<std::pair<std::string, std::string>> choices;
        for (const RunPointer& run : look.runs())
            if (run->job) choices.emplace_back(run->id, run->name);
        for (const Preset& preset : presets())
            choices.emplace_back(kPresetPrefix + preset.name, "preset " + preset.name);
        panel_->set_choices(choices);
        show();
    }

  private:
    using Named = std::pair<std::string, std::shared_ptr<const Job>>;

    /// Built once: the same pointer says that nothing changed.
    Named named(const std::string& id) const {
        if (!id.starts_with(kPresetPrefix)) {
            const RunPointer run = look_.run(id);
            return run ? Named{run->name, run->job} : Named{};
        }
        const std::string name = id.substr(kPresetPrefix.size());
        const auto shown = std::find_if(compared_.begin(), compared_.end(),
                                        [&](const Named& each) { return each.first == name; });
        return {name, shown != compared_.end() ? shown->second : job_or_nothing(name)};
    }

    /// What to do so that there is something to see.
    QString empty_text(const std::string& model, const std::string& baseline) const {
        const RunPointer run = look_.run(model);
        for (const RunPointer& each : {run, look_.run(baseline)})
            if (each && !each->job)
                return tr("%1 Select a run that was trained here, and choose above what to "
                          "compare it with.")
                    .arg(QString::fromStdString(why_no_model(*each)));
        if (run && model == baseline)
            return tr("%1 is the baseline itself. Select another run in the list, or choose "
                      "above what to compare it with.")
                .arg(QString::fromStdString(run->name));
        return tr("Select a run, and above what to compare it with; or select two runs.");
    }

    /// Two selected runs with each other, the upper one as the baseline; one with what was chosen,
    /// or else with the reference.
    void show() {
        const std::vector<std::string>& ids = look_.selected;
        const bool two = ids.size() > 1;
        const bool is_there = !chosen_.empty() && named(chosen_).second;  // not of another study
        std::string baseline = two ? ids[0] : is_there ? chosen_ : look_.reference;
        const std::string model = ids.empty() ? "" : two ? ids[1] : ids[0];
        panel_->choose(baseline);
        ids_ = {baseline, model};
        std::vector<Named> compared;
        if (model != baseline)
            for (Named each : {named(model), named(baseline)})
                if (each.second) compared.push_back(std::move(each));
        const QString empty = empty_text(model, baseline);
        if (compared == compared_ && empty == empty_) return;
        compared_ = compared;
        panel_->set_empty_text(empty_ = empty);
        if (compared.size() < 2) {
            panel_->set_view({});
        } else {
            const auto& [name, job] = compared[0];
            const auto& [other_name, other] = compared[1];
            const bool runs = look_.run(model) && look_.run(baseline);  // a preset trains nothing
            panel_->set_view(build_compare({name, job->model, runs ? job : nullptr},
                                           {other_name, other->model, runs ? other : nullptr},
                                           job->train.seq_len));
        }
        emit picture_changed();
    }

    ComparePanel* panel_;
    StudyLook look_;
    std::string chosen_;                       ///< by the person; "" = the reference
    std::pair<std::string, std::string> ids_;  ///< baseline and model
    std::vector<Named> compared_;              ///< as shown
    QString empty_;                            ///< what is said where there is nothing
};

}  // namespace

Page compare_page() {
    return {
        {"compare", Panel::tr("Compare"),
         Panel::tr("The focused run's model against a baseline: the reference, unless another is "
                   "chosen. Differences are the model minus the baseline; what differs is marked "
                   "in both pictures. Layers and heads count from 0, or from 1 as the settings "
                   "say.")},
        make_panel<ComparePage>};
}

}  // namespace headroom
