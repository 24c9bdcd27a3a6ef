#include <QPushButton>
#include <QSettings>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "app/window/services/lab_runner.h"
#include "panels/figure/figure_chart.h"
#include "panels/lab/lab_panel.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

class LabPage : public Panel {
  public:
    LabPage(const PageInfo& info, const StudioServices& services)
        : Panel(info),
          panel_(new LabPanel),
          runner_(new LabRunner(panel_, services.program, this)) {
        fill_page(this, panel_);
        connect(panel_, &LabPanel::export_asked, this, &Panel::export_asked);
        connect(panel_, &LabPanel::picture_changed, this, &Panel::picture_changed);
        connect(panel_->chart(), &FigureChart::stepped, this, &Panel::stepped);
        connect(panel_, &LabPanel::chosen_changed, this, &Panel::settings_changed);
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* options() override { return panel_->controls(); }
    QWidget* focus_target() override { return panel_->run_button(); }
    /// Experiments need no study; what runs goes on whatever is open.
    void set_study(const StudyLook&) override {}
    void act() override { panel_->run_button()->click(); }
    void undo() override { panel_->chart()->undo_zoom(); }
    void redo() override { panel_->chart()->redo_zoom(); }
    bool has_picture() const override { return panel_->has_picture(); }
    FigurePage picture() const override { return panel_->page(); }
    QString picture_name() const override { return QString::fromStdString(panel_->chosen()); }
    void save(QSettings& store) const override {
        store.setValue("experiment", QString::fromStdString(panel_->chosen()));
    }
    void restore(QSettings& store) override {
        panel_->choose(store.value("experiment").toString().toStdString());
    }

  private:
    LabPanel* panel_;
    LabRunner* runner_;
};

}  // namespace

Page lab_page() {
    return {
        {"lab", Panel::tr("Experiments"),
         Panel::tr("The papers' theorems as experiments: choose one, set its options and *Run* it "
                   "in a worker. Each says what it assumes, sets every claim beside what was "
                   "measured and draws its charts; `headroom lab` does the same.")},
        make_panel<LabPage>};
}

}  // namespace headroom
