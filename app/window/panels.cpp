#include "app/window/panels.h"

namespace headroom {

Page runs_page();
Page table_page();
Page launch_page();
Page details_page();
Page loss_page();
Page series_page();
Page experts_page();
Page inspector_page();
Page similarity_page();
Page profile_page();
Page compare_page();
Page wiring_page();
Page draw_wiring_page();
Page architecture_page();
Page memory_page();
Page try_page();
Page figures_page();
Page surgery_page();
Page absorption_page();
Page lab_page();

const std::vector<Activity>& activities() {
    static const std::vector<Activity> all{
        {"runs",
         "Runs",
         "activity_runs",
         {runs_page(), table_page(), launch_page(), details_page()}},
        {"curves", "Curves", "activity_curves", {loss_page(), series_page(), experts_page()}},
        {"attention",
         "Attention",
         "activity_attention",
         {inspector_page(), similarity_page(), profile_page()}},
        {"models",
         "Models",
         "activity_models",
         {compare_page(), wiring_page(), draw_wiring_page(), architecture_page(), memory_page()}},
        {"try", "Try", "activity_try", {try_page()}},
        {"figures", "Figures", "activity_figures", {figures_page()}},
        {"lab", "Laboratory", "activity_lab", {surgery_page(), absorption_page(), lab_page()}},
    };
    return all;
}

}  // namespace headroom
