#include "core/probe/linear_probe_file.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace headroom {
namespace {

constexpr const char* kGroup = "/linear";
constexpr const char* kNats = "nats";

[[noreturn]] void refuse(const ArrayFile& file, const std::string& what) {
    throw UserError(fmt::format("{}: {}", file.path().string(), what),
                    "make the file again with headroom probe linear");
}

std::vector<double> read_numbers(const ArrayFile& file, const std::string& name, size_t count) {
    std::vector<double> values = file.read_all<double>("/linear/" + name);
    if (values.size() != count)
        refuse(file, fmt::format("/linear/{} has {} numbers, not {}", name, values.size(), count));
    return values;
}

double read_attribute(const ArrayFile& file, const std::string& name) {
    const std::string text = file.attribute(kGroup, name);
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size())
        refuse(file, fmt::format("{} of /linear is \"{}\", no number", name, text.substr(0, 40)));
    return value;
}

int32_t read_layer(const ArrayFile& file, const std::string& name) {
    const double layer = read_attribute(file, name);
    if (!(layer >= 0 && layer < 1e6)) refuse(file, fmt::format("{} of /linear is no layer", name));
    return static_cast<int32_t>(layer);
}

}  // namespace

void write_linear_probe(ArrayFileWriter& file, const LinearProbeResult& result) {
    const auto n = static_cast<int64_t>(result.layers.size());
    const auto n_rate = static_cast<int64_t>(result.rates.size());
    file.add("/linear/layer", {n}, result.layers);
    file.add("/linear/val_loss", {n}, result.val_loss, kNats);
    file.add("/linear/train_loss", {n}, result.train_loss, kNats);
    file.add("/linear/lr", {n}, result.lr);
    file.add("/linear/all/lr", {n_rate}, result.rates);
    file.add("/linear/all/val_loss", {n, n_rate}, result.all_val_loss, kNats);
    if (!result.control_val_loss.empty()) {
        file.add("/linear/control_val_loss", {n}, result.control_val_loss, kNats);
        file.add("/linear/selectivity", {n}, result.selectivity, kNats);
    }
    if (!result.val_accuracy.empty()) file.add("/linear/val_accuracy", {n}, result.val_accuracy);
    file.attribute(kGroup, "steps", fmt::format("{}", result.steps));
    file.attribute(kGroup, "slope", fmt::format("{}", result.slope));
    file.attribute(kGroup, "slope_first", fmt::format("{}", result.slope_first));
    file.attribute(kGroup, "slope_last", fmt::format("{}", result.slope_last));
    file.plot_hint({kGroup, "val_loss", {"layer"}});
}

LinearProbeResult read_linear_probe(const ArrayFile& file) {
    LinearProbeResult result;
    result.layers = file.read_all<int32_t>("/linear/layer");
    const size_t n = result.layers.size();
    result.val_loss = read_numbers(file, "val_loss", n);
    result.train_loss = read_numbers(file, "train_loss", n);
    result.lr = read_numbers(file, "lr", n);
    result.rates = file.read_all<double>("/linear/all/lr");
    result.all_val_loss = read_numbers(file, "all/val_loss", n * result.rates.size());
    if (file.has("/linear/control_val_loss")) {
        result.control_val_loss = read_numbers(file, "control_val_loss", n);
        result.selectivity = read_numbers(file, "selectivity", n);
    }
    if (file.has("/linear/val_accuracy"))
        result.val_accuracy = read_numbers(file, "val_accuracy", n);
    if (!file.attribute(kGroup, "steps").empty()) {
        const double steps = read_attribute(file, "steps");
        if (!(steps >= 0 && steps < 1e15)) refuse(file, "steps of /linear is no number of steps");
        result.steps = static_cast<int64_t>(steps);
    }
    result.slope = read_attribute(file, "slope");
    result.slope_first = read_layer(file, "slope_first");
    result.slope_last = read_layer(file, "slope_last");
    return result;
}

std::string describe_probe_training(const LinearProbeResult& result) {
    return fmt::format("{}lr {}", result.steps > 0 ? fmt::format("{} steps at ", result.steps) : "",
                       fmt::join(result.rates, ", "));
}

}  // namespace headroom
