#include <QSettings>

#include "app/window/pages/loss_look.h"
#include "app/window/pages/page_layout.h"
#include "app/window/panels.h"
#include "panels/figure/figure_csv.h"
#include "panels/figure/figure_export.h"
#include "panels/loss/loss_recipe.h"
#include "panels/loss/loss_settings_store.h"
#include "panels/loss/loss_widget.h"
#include "panels/loss/series_grid.h"
#include "panels/qt/panel.h"

namespace headroom {
namespace {

class SeriesPage : public Panel {
  public:
    explicit SeriesPage(const PageInfo& info) : Panel(info), grid_(new SeriesGrid) {
        fill_page(this, grid_);
        connect(grid_, &SeriesGrid::settings_changed, this, &Panel::settings_changed);
        connect(grid_, &SeriesGrid::moved, this, &Panel::moved);
        connect(grid_, &SeriesGrid::picture_changed, this, &Panel::picture_changed);
    }

    void set_theme(const Theme& theme) override { grid_->set_theme(theme); }
    QWidget* options() override { return grid_->options(); }

    void set_study(const StudyLook& look) override {
        const LossSettings settings = settings_of(grid_->settings(), look);
        grid_->set_runs(curve_runs(look));
        if (!same_look(settings, grid_->settings())) grid_->set_settings(settings);
    }

    bool has_picture() const override {
        return grid_->current() != nullptr && !grid_->current()->figure().is_empty();
    }
    FigurePage picture() const override {
        Figure figure = grid_->current()->figure();
        figure.legend = LegendPlace::kBest;  // on paper there is no run list beside it
        FigurePage page = make_page(figure, false);
        page.csv = [whole = grid_->current()->whole_figure()] { return figure_csv(whole()); };
        return page;
    }
    QString picture_name() const override {
        const LossWidget* chart = grid_->current();
        const QString series = chart ? QString::fromStdString(chart->settings().metric) : QString();
        return series.isEmpty() ? QString("loss") : QString(series).replace('/', '-');
    }
    QString picture_title() const override {
        return has_picture() ? tr("%1: %2").arg(title(), picture_name()) : title();
    }
    std::optional<StudyFigure> recipe() const override {
        if (!has_picture()) return std::nullopt;
        LossSettings settings = grid_->current()->settings();
        settings.legend = true;
        return loss_recipe(grid_->runs(), settings);
    }
    void fit() override { grid_->fit(); }
    void save(QSettings& store) const override {
        write_loss_settings(store, grid_->settings(), "series");
    }
    void restore(QSettings& store) override {
        LossSettings defaults;
        defaults.legend = false;
        grid_->set_settings(read_loss_settings(store, "series", defaults));
    }
    void save_view(QSettings& store) const override {
        save(store);
        write_loss_place(store, grid_->settings(), "series");
    }
    void restore_view(QSettings& store) override {
        LossSettings settings = read_loss_settings(store, "series");
        read_loss_place(store, settings, "series");
        grid_->set_settings(settings);
    }

  private:
    SeriesGrid* grid_;
};

}  // namespace

Page series_page() {
    return {
        {"series", Panel::tr("All series"),
         Panel::tr(
             "Everything that the shown runs have logged, a small chart each: losses, "
             "gradient norm, rate, speed, memory, and any scalar of the log. The charts "
             "share the x axis (zoom one, and all follow), the cursor and the options. A "
             "click on a name makes its chart large; another makes it small again. Export, "
             "copy and ＋ Figure take the chart whose name is bold: the one that the pointer was "
             "in last.")},
        make_panel<SeriesPage>};
}

}  // namespace headroom
