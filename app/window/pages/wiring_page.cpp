#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/qt/panel.h"
#include "panels/study/model_words.h"
#include "panels/wiring/wiring_canvas.h"

namespace headroom {
namespace {

class WiringPage : public Panel {
  public:
    explicit WiringPage(const PageInfo& info) : Panel(info), wiring_(new WiringCanvas) {
        fill_page(this, wiring_);
    }

    void set_theme(const Theme& theme) override { wiring_->set_theme(theme); }
    QWidget* focus_target() override {
        return wiring_->canvas() ? wiring_->canvas() : static_cast<QWidget*>(wiring_);
    }
    bool has_picture() const override { return !wiring_->view().empty(); }
    FigurePage picture() const override { return wiring_->page(); }
    std::optional<StudyFigure> recipe() const override {
        if (!job_) return std::nullopt;
        StudyFigure figure{"wiring", "wiring", {id_}, {}};
        const WiringSettings& settings = wiring_->settings();
        if (settings.color_by == WiringColoring::kCacheOwner) figure.options["color"] = "owner";
        if (!settings.show_keys) figure.options["table"] = "values";
        if (!settings.show_values) figure.options["table"] = "keys";
        return figure;
    }
    QString picture_name() const override {
        return "wiring-" + QString::fromStdString(wiring_->view().title).replace('/', '-');
    }
    void relabel() override { job_.reset(); }
    void set_study(const StudyLook& look) override {
        const RunPointer run = look.focused();
        const std::shared_ptr<const Job> job = run ? run->job : nullptr;
        const std::string name = run ? run->name : "";
        if (job && job == job_ && name == wiring_->view().title) return;
        job_ = job;
        id_ = run ? run->id : "";
        auto view = std::make_shared<WiringView>();
        if (job) *view = build_wiring_view(job->model, DType::kBF16, name);
        if (run && !job) view->empty_text = why_no_model(*run);
        wiring_->set_view(std::move(view));
        emit picture_changed();
    }

  private:
    WiringCanvas* wiring_;
    std::shared_ptr<const Job> job_;
    std::string id_;
};

}  // namespace

Page wiring_page() {
    return {{"wiring", Panel::tr("Wiring"),
             Panel::tr(
                 "Where each head's keys and values come from: a row is a layer, a column a head, "
                 "both counted from 0, or from 1 as the settings say. A filled mark is projected "
                 "by its layer, a hollow one "
                 "reads another layer's; lines lead from the source to its readers.")},
            make_panel<WiringPage>};
}

}  // namespace headroom
