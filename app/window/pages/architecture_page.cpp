#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/qt/panel.h"
#include "panels/study/model_words.h"

namespace headroom {
namespace {

class ArchitecturePage : public Panel {
  public:
    explicit ArchitecturePage(const PageInfo& info) : Panel(info), panel_(new ArchitecturePanel) {
        fill_page(this, panel_);
        connect(panel_, &ArchitecturePanel::export_asked, this, &Panel::export_asked);
    }

    void set_theme(const Theme& theme) override { panel_->set_theme(theme); }
    QWidget* focus_target() override { return panel_->canvas(); }
    bool has_picture() const override { return !panel_->view().empty(); }
    FigurePage picture() const override { return panel_->page(); }
    std::optional<StudyFigure> recipe() const override {
        if (!job_) return std::nullopt;
        return StudyFigure{"architecture", "architecture", {id_}, {}};
    }
    QString picture_name() const override {
        return "architecture-" + QString::fromStdString(panel_->view().title).replace('/', '-');
    }
    void relabel() override { job_.reset(); }
    void set_study(const StudyLook& look) override {
        const RunPointer run = look.focused();
        const std::shared_ptr<const Job> job = run ? run->job : nullptr;
        panel_->set_empty_text(run && !job ? QString::fromStdString(why_no_model(*run))
                                           : tr("Select a run to see its architecture."));
        if (job == job_ && (!job || run->name == panel_->view().title)) return;
        job_ = job;
        id_ = run ? run->id : "";
        panel_->set_view(job ? build_architecture(job->model, run->name) : ArchitectureView{});
        emit picture_changed();
    }

  private:
    ArchitecturePanel* panel_;
    std::shared_ptr<const Job> job_;
    std::string id_;
};

}  // namespace

Page architecture_page() {
    return {
        {"architecture", Panel::tr("Diagram"),
         Panel::tr("The focused run's model: all layers at the left, the block of the kinds that "
                   "there are in detail at the right. A click on a layer shows its block.")},
        make_panel<ArchitecturePage>};
}

}  // namespace headroom
