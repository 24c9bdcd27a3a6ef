#pragma once

#include <string>

#include "app/help/command_page.h"

namespace headroom {

/// A script that completes the words of the program in SHELL (bash, zsh or fish): commands, options
/// and, where only some words are right, values; elsewhere names of files. UserError for another
/// shell.
std::string completion_script(const CommandPage& program, const std::string& shell);

}  // namespace headroom
