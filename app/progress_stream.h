#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace headroom {

/// What --stream prints for the program that started this one: a JSON object a line, how far it is
/// ("share", and "doing" where that is said), ten times a second at most, and in the end "result".
class ProgressStream {
  public:
    void tell(double share, const std::string& doing = "");
    static void finish(nlohmann::ordered_json result);

  private:
    double told_ = -1;
};

}  // namespace headroom
