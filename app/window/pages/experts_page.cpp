#include <QSettings>

#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "panels/experts/experts_panel.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

class ExpertsPage : public Panel {
  public:
    explicit ExpertsPage(const PageInfo& info) : Panel(info), view_(new ExpertsPanel) {
        fill_page(this, view_);
        connect(view_, &ExpertsPanel::export_asked, this, &Panel::export_asked);
        connect(view_, &ExpertsPanel::shown, this, &Panel::picture_changed);
        connect(view_, &ExpertsPanel::settings_changed, this, &Panel::settings_changed);
    }

    void set_theme(const Theme& theme) override { view_->set_theme(theme); }
    QWidget* options() override { return view_->controls(); }
    void set_study(const StudyLook& look) override {
        view_->set_runs(look.focused(), look.compared_runs());
    }
    void relabel() override { view_->relabel(); }
    bool has_picture() const override { return view_->has_picture(); }
    FigurePage picture() const override { return view_->page(); }
    std::optional<StudyFigure> recipe() const override {
        if (!has_picture()) return std::nullopt;
        std::vector<std::string> ids;
        for (const RunPointer& run : view_->runs()) ids.push_back(run->id);
        return StudyFigure{
            "experts", "experts", ids, {{"over", std::string(name_of(view_->map()))}}};
    }
    void save(QSettings& store) const override {
        store.setValue("map", QString::fromUtf8(name_of(view_->map()).data()));
    }
    void restore(QSettings& store) override {
        const bool layers = store.value("map").toString() == name_of(ExpertMap::kLayers).data();
        view_->set_map(layers ? ExpertMap::kLayers : ExpertMap::kSteps);
    }

  private:
    ExpertsPanel* view_;
};

}  // namespace

Page experts_page() {
    return {
        {"experts", Panel::tr("Experts"),
         Panel::tr("Which experts the routers of a mixture of experts choose. The share of an "
                   "expert is that of all assignments of an evaluation, a token making "
                   "mlp_top_k of them, the dropped ones too; all shares of a layer sum to 1, and "
                   "an even one is 1 / mlp_experts. An expert that stays dark is hardly used: "
                   "raise model.mlp_balance. **Shares over steps** shows every layer of the "
                   "focused run over its evaluations, **over layers** the reference and the "
                   "selected runs at their last one. The line below says how many assignments "
                   "found no place in their expert (model.mlp_capacity), the balance loss (1 "
                   "when all experts are chosen equally often) and the entropy of the router's "
                   "probabilities. All series has them as curves: router.balance, "
                   "router.h3.entropy and so on.")},
        make_panel<ExpertsPage>};
}

}  // namespace headroom
