#pragma once

#include <string>

#include "app/help/command_page.h"

namespace headroom {

/// Prints the page of the program, or of the command that `asked` names; with a folder writes all
/// pages there instead. UserError for a command that there is not.
void put_out_man(const CommandPage& program, const std::string& asked, const std::string& folder);

}  // namespace headroom
