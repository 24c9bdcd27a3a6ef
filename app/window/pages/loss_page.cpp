#include <QSettings>
#include <algorithm>

#include "app/window/pages/loss_look.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_csv.h"
#include "panels/figure/figure_export.h"
#include "panels/loss/evidence_widget.h"
#include "panels/loss/loss_controls.h"
#include "panels/loss/loss_recipe.h"
#include "panels/loss/loss_settings_store.h"
#include "panels/loss/loss_widget.h"
#include "panels/loss/stretch_table.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

class LossPage : public Panel {
  public:
    explicit LossPage(const PageInfo& info)
        : Panel(info),
          widget_(new LossWidget),
          evidence_(new EvidenceWidget),
          stretch_(new StretchTable) {
        fill_page(this, widget_);
        layout()->addWidget(stretch_);
        layout()->addWidget(evidence_);
        evidence_->hide();
        connect(widget_, &LossWidget::view_shown, this, &LossPage::show_evidence);
        connect(widget_, &LossWidget::settings_changed, this, &LossPage::take_settings);
        connect(widget_, &LossWidget::view_shown, this, &Panel::picture_changed);
        connect(widget_->chart(), &FigureChart::stretch_chosen, this, [this](Range x) {
            widget_->chart()->shade(x);
            show_stretch(x);
        });
        connect(stretch_, &StretchTable::closed, this,
                [this] { widget_->chart()->shade(std::nullopt); });
        connect(widget_, &LossWidget::looked_at, this, &Panel::moved);
        connect(widget_, &LossWidget::fitted, this, &Panel::moved);
    }

    void set_theme(const Theme& theme) override {
        widget_->set_theme(theme);
        evidence_->set_theme(theme);
        stretch_->set_theme(theme);
    }
    QWidget* options() override { return widget_->controls(); }
    QWidget* focus_target() override { return widget_->chart(); }

    void set_study(const StudyLook& look) override {
        look_ = look;
        widget_->set_runs(curve_runs(look));
        follow_run_list();
    }

    bool has_picture() const override { return !widget_->figure().is_empty(); }
    FigurePage picture() const override {
        FigurePage page = make_page(widget_->figure(), false);
        page.csv = [whole = widget_->whole_figure()] { return figure_csv(whole()); };
        return page;
    }
    QString picture_name() const override { return "loss"; }
    std::optional<StudyFigure> recipe() const override {
        if (!has_picture()) return std::nullopt;
        return loss_recipe(widget_->runs(), widget_->settings());
    }
    /// The numbers of what is visible.
    void act() override {
        widget_->chart()->shade(std::nullopt);
        show_stretch(widget_->chart()->figure().x.range);
    }
    bool leave() override {
        const bool was_open = !stretch_->isHidden();
        stretch_->hide();
        widget_->chart()->shade(std::nullopt);
        return was_open;
    }
    void fit() override { widget_->fit(); }
    void save(QSettings& store) const override { write_loss_settings(store, widget_->settings()); }
    void restore(QSettings& store) override { widget_->set_settings(read_loss_settings(store)); }
    void save_view(QSettings& store) const override {
        save(store);
        write_loss_place(store, widget_->settings());
    }
    void restore_view(QSettings& store) override {
        LossSettings settings = read_loss_settings(store);
        read_loss_place(store, settings);
        widget_->set_settings(settings);
    }

  private:
    void follow_run_list() {
        const LossSettings settings = settings_of(widget_->settings(), look_);
        if (!same_look(settings, widget_->settings())) widget_->set_settings(settings);
        followed_ = settings.hidden;
    }

    /// Whom the legend hid, the run list hides; whom it compares with becomes the reference. Other
    /// changes may make the run list's word mean something else, such as when seeds are grouped.
    void take_settings() {
        emit settings_changed();
        const LossSettings settings = widget_->settings();
        if (!settings.baseline.empty() && settings.baseline != look_.reference)
            return emit reference_asked(settings.baseline);
        if (settings.hidden == followed_) return follow_run_list();
        followed_ = settings.hidden;
        const std::set<std::string> hidden = hidden_runs(settings, widget_->runs(), look_.hidden);
        if (hidden != look_.hidden) emit hidden_asked(hidden);
    }

    /// Where losses are differences, their numbers stand below them: of all runs, for what is
    /// hidden must not change n and p of what is shown.
    void show_evidence() {
        const LossSettings& settings = widget_->settings();
        const bool known =
            std::any_of(look_.runs().begin(), look_.runs().end(),
                        [&](const RunPointer& run) { return run->id == settings.baseline; });
        evidence_->setVisible(known);
        if (!known) return;
        const auto hidden =
            std::count_if(look_.runs().begin(), look_.runs().end(), [&](const RunPointer& run) {
                return !look_.is_shown(run->id) && is_final(run->series->state);
            });
        evidence_->show_runs(look_.runs(), settings, static_cast<int>(hidden));
    }

    void show_stretch(Range x) {
        stretch_->show_stretch(widget_->view(), widget_->runs(), widget_->settings(), x);
    }

    LossWidget* widget_;
    EvidenceWidget* evidence_;
    StretchTable* stretch_;
    StudyLook look_;
    std::set<std::string> followed_;  ///< hidden in the settings by the run list's word
};

}  // namespace

Page loss_page() {
    return {{"losses", Panel::tr("Loss"),
             Panel::tr(
                 "Losses of the shown runs. The smoothing is TensorBoard's: an exponential "
                 "average with bias correction, drawn over the raw line. *Compare with* draws "
                 "each run minus the reference, step by step on equal batches: above zero is "
                 "worse. Seeds of one variant can be drawn as a mean with a band. The table below "
                 "has the numbers of `headroom study compare`: difference with its interval, "
                 "p (Holm's correction), seeds needed and tokens saved at equal loss. A stretch "
                 "that "
                 "is dragged with Ctrl, or what is visible with Ctrl+Enter, gets a table of mean, "
                 "least, greatest and slope of each run.")},
            make_panel<LossPage>};
}

}  // namespace headroom
