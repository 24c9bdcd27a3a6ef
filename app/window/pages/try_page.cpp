#include <QPlainTextEdit>
#include <QSettings>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/try_runner.h"
#include "panels/playground/try_panel.h"
#include "panels/playground/try_settings_store.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

/// Those of each run together, the newest first.
std::vector<TryCheckpoint> checkpoints_of(const StudyLook& look) {
    std::vector<TryCheckpoint> all;
    for (const RunPointer& run : look.runs())
        for (auto each = run->checkpoints.rbegin(); each != run->checkpoints.rend(); ++each)
            all.push_back(
                {run->id, run->name, each->step, each->weights.string(), run->color, run->shade});
    return all;
}

class TryPage : public Panel {
  public:
    TryPage(const PageInfo& info, const StudioServices& services)
        : Panel(info),
          panel_(new TryPanel),
          runner_(new TryRunner(panel_, services.program, this)) {
        fill_page(this, panel_);
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* focus_target() override { return panel_->prompt(); }
    void act() override { panel_->generate_or_stop(); }
    void set_study(const StudyLook& look) override {
        if (!look.is_open()) {
            runner_->abandon();
            return panel_->clear();
        }
        panel_->set_checkpoints(checkpoints_of(look));
        panel_->select_runs(look.selected);
    }
    void save(QSettings& store) const override { write_try_settings(store, panel_->settings()); }
    void restore(QSettings& store) override { panel_->set_settings(read_try_settings(store)); }

  private:
    TryPanel* panel_;
    TryRunner* runner_;
};

}  // namespace

Page try_page() {
    return {
        {"playground", Panel::tr("Try"),
         Panel::tr("One prompt that up to four models continue beside each other. A token's shade "
                   "is its surprise: the darker, the less likely the model held it.")},
        make_panel<TryPage>};
}

}  // namespace headroom
