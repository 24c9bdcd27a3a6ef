#pragma once

#include <string>
#include <string_view>

namespace headroom {

/// What a command says of its options, "--matrices 0 is out of range; …", as a form says it, which
/// has fields in place of options: "matrices = 0 is out of range; …". Where to read more of the
/// command is left out.
std::string form_words(std::string_view problem);

}  // namespace headroom
