#pragma once

#include <filesystem>
#include <string>

#include "app/help/command_page.h"

namespace headroom {

/// The manual page of the program: its commands, one line each, and what holds for all.
std::string man_of_program(const CommandPage& program);

/// The manual page of one of its commands with all that is below it, in the language of man(7).
std::string man_of_command(const CommandPage& command);

/// Writes headroom.1 and headroom-COMMAND.1 for every command into `folder`, which is made.
void write_man_pages(const CommandPage& program, const std::filesystem::path& folder);

}  // namespace headroom
