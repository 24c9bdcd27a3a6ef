#include "app/progress_stream.h"

#include <cstdio>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

void print_line(const nlohmann::ordered_json& document) {
    fmt::print("{}\n", dump_text(document));
    std::fflush(stdout);
}

}  // namespace

void ProgressStream::tell(double share, const std::string& doing) {
    constexpr double kPause = 0.1;
    if (share < 1 && now_s() - told_ <= kPause) return;
    told_ = now_s();
    nlohmann::ordered_json document = {{"share", share}};
    if (!doing.empty()) document["doing"] = doing;
    print_line(document);
}

void ProgressStream::finish(nlohmann::ordered_json result) {
    print_line({{"result", std::move(result)}});
}

}  // namespace headroom
