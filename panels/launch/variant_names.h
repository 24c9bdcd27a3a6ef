#pragma once

#include <string>
#include <vector>

namespace headroom {

/// How an architecture is called on the screen.
struct VariantName {
    std::string title;
    std::string help;  ///< one line: what it changes, and where it is from
};

/// Every architecture of the configuration, those of the first study first.
const std::vector<std::string>& offered_variants();

/// The name of an architecture; one without a name of its own is called as in job files.
const VariantName& variant_name(const std::string& arch);

}  // namespace headroom
