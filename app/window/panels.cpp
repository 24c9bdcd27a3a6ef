#include "app/window/panels.h"

namespace headroom {

Panel* make_runs_page(const StudioServices& services);
Panel* make_table_page(const StudioServices& services);
Panel* make_launch_page(const StudioServices& services);
Panel* make_details_page(const StudioServices& services);
Panel* make_loss_page(const StudioServices& services);
Panel* make_series_page(const StudioServices& services);
Panel* make_experts_page(const StudioServices& services);
Panel* make_inspector_page(const StudioServices& services);
Panel* make_similarity_page(const StudioServices& services);
Panel* make_profile_page(const StudioServices& services);
Panel* make_compare_page(const StudioServices& services);
Panel* make_wiring_page(const StudioServices& services);
Panel* make_draw_wiring_page(const StudioServices& services);
Panel* make_architecture_page(const StudioServices& services);
Panel* make_memory_page(const StudioServices& services);
Panel* make_try_page(const StudioServices& services);
Panel* make_figures_page(const StudioServices& services);
Panel* make_surgery_page(const StudioServices& services);
Panel* make_absorption_page(const StudioServices& services);
Panel* make_lab_page(const StudioServices& services);

const std::vector<Activity>& activities() {
    static const std::vector<Activity> all{
        {"runs",
         "Runs",
         "activity_runs",
         {make_runs_page, make_table_page, make_launch_page, make_details_page}},
        {"curves",
         "Curves",
         "activity_curves",
         {make_loss_page, make_series_page, make_experts_page}},
        {"attention",
         "Attention",
         "activity_attention",
         {make_inspector_page, make_similarity_page, make_profile_page}},
        {"models",
         "Models",
         "activity_models",
         {make_compare_page, make_wiring_page, make_draw_wiring_page, make_architecture_page,
          make_memory_page}},
        {"try", "Try", "activity_try", {make_try_page}},
        {"figures", "Figures", "activity_figures", {make_figures_page}},
        {"lab",
         "Laboratory",
         "activity_lab",
         {make_surgery_page, make_absorption_page, make_lab_page}},
    };
    return all;
}

}  // namespace headroom
