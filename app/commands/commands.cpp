#include "app/commands/commands.h"

namespace headroom {

// Each in the file of its name.
void add_absorb_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_completion_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_data_command(CLI::App& app);
void add_describe_command(CLI::App& app);
void add_doctor_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_figure_command(CLI::App& app);
void add_generate_command(CLI::App& app);
void add_lab_command(CLI::App& app);
void add_log_command(CLI::App& app);
void add_logits_command(CLI::App& app);
void add_man_command(CLI::App& app);
void add_memory_command(CLI::App& app);
void add_presets_command(CLI::App& app);
void add_probe_command(CLI::App& app);
void add_study_command(CLI::App& app);
void add_surgery_command(CLI::App& app);
void add_train_command(CLI::App& app);

const std::vector<AddCommand>& commands() {
    static const std::vector<AddCommand> all{
        add_study_command,    add_train_command,   add_eval_command,       add_generate_command,
        add_logits_command,   add_probe_command,   add_log_command,        add_figure_command,
        add_data_command,     add_convert_command, add_surgery_command,    add_absorb_command,
        add_lab_command,      add_bench_command,   add_doctor_command,     add_presets_command,
        add_describe_command, add_memory_command,  add_completion_command, add_man_command,
    };
    return all;
}

}  // namespace headroom
