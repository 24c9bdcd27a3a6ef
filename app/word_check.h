#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI

namespace headroom {

/// For CLI::Option::check: a value is one of these words, which the help, the shells' completion
/// and the studio's lists name; another word is answered with the nearest of them.
enum class LetterCase { kCounts, kIgnored };
CLI::Validator one_of(std::vector<std::string> words, LetterCase letters = LetterCase::kCounts);

/// --device, one of the words that the job key has.
CLI::Option* add_device_option(CLI::App& command, std::string& device,
                               const std::string& help = "cpu, cuda or auto");

/// --scale, one of those that a template has (study_templates.h).
CLI::Option* add_scale_option(CLI::App& command, std::string& scale);

}  // namespace headroom
