#include "app/help/man_output.h"

#include <fmt/format.h>

#include "app/help/man_page.h"
#include "core/base/error.h"
#include "core/base/nearest.h"

namespace headroom {

void put_out_man(const CommandPage& program, const std::string& asked, const std::string& folder) {
    if (!folder.empty()) return write_man_pages(program, folder);
    if (asked.empty()) return fmt::print("{}", man_of_program(program));
    std::vector<std::string> names;
    for (const CommandPage& command : program.commands) {
        names.push_back(command.word());
        if (command.word() == asked) return fmt::print("{}", man_of_command(command));
    }
    throw UserError(fmt::format("there is no command \"{}\"{}", asked, suggestion(asked, names)));
}

}  // namespace headroom
