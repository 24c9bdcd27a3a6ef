#pragma once

#include <string>

namespace headroom {

/// What keeps a theorem from applying.
struct FailedAssumption {
    std::string word = {};  ///< as a picture names it: "norm", "skip", "tied", "grouped heads"
    std::string why = {};   ///< the sentence; "": no assumption fails

    bool empty() const { return why.empty(); }
};

}  // namespace headroom
