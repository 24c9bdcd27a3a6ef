#include "app/probe_json.h"

#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace headroom {

using nlohmann::ordered_json;

namespace {

ordered_json nested(const NumberArray& array, size_t dimension, size_t& at) {
    ordered_json list = ordered_json::array();
    for (int64_t i = 0; i < array.shape[dimension]; ++i)
        if (dimension + 1 == array.shape.size())
            list.push_back(array.values[at++]);  // NaN becomes null
        else
            list.push_back(nested(array, dimension + 1, at));
    return list;
}

}  // namespace

ordered_json to_json(const NumberArray& array) {
    size_t at = 0;
    return nested(array, 0, at);
}

ordered_json to_json(const NumberArrays& arrays) {
    ordered_json object = ordered_json::object();
    for (const auto& [name, array] : arrays) object[name] = to_json(array);
    return object;
}

ordered_json probe_document(const ProbeInput& input) {
    return {{"out", input.out.string()},
            {"checkpoint", input.header.checkpoint},
            {"step", input.header.step},
            {"sequences", input.tokens.batch_size},
            {"seq_len", input.tokens.seq_len}};
}

void print_probe_end(const ProbeInput& input) {
    const int64_t sequences = input.tokens.batch_size;
    fmt::print(stderr, "{}: {} of {} tokens\n", input.out.string(),
               sequences == 1 ? "1 sequence" : fmt::format("{} sequences", sequences),
               input.tokens.seq_len);
}

}  // namespace headroom
