#include "panels/wiring_editor/sharing_order.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/log/array_file.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_file.h"

namespace headroom {

namespace {

[[noreturn]] void refuse_order(const std::filesystem::path& path) {
    throw UserError(fmt::format("{}: /sharing is not of the model in its header", path.string()),
                    "probe the run anew with headroom probe sharing");
}

}  // namespace

SharingOrder read_sharing_order(const std::filesystem::path& path) {
    const ArrayFile file(path);
    const ProbeHeader header = read_probe_header(file);
    SharingOrder order;
    order.run = header.run;
    order.step = header.step;
    order.n_layer = static_cast<int>(header.model.n_layer);
    order.loss = file.read_number(kSharingLoss);
    if (!file.has(kSharingOrder)) return order;  // no layer can share
    const Shape shape = file.type(kSharingOrder).shape;
    if (shape.size() != 2 || shape[1] != 2 || file.type(kSharingLosses).shape != Shape{shape[0]})
        refuse_order(path);
    const std::vector<int32_t> pairs = file.read_all<int32_t>(kSharingOrder);
    const std::vector<double> losses = file.read_all<double>(kSharingLosses);
    for (size_t i = 0; i < losses.size(); ++i) {
        const SharingOrder::Step step{pairs[2 * i], pairs[2 * i + 1], losses[i]};
        if (step.layer >= order.n_layer || step.source < 0 || step.source >= step.layer)
            refuse_order(path);
        order.steps.push_back(step);
    }
    return order;
}

std::vector<int> shared_sources(const SharingOrder& order, size_t count) {
    std::vector<int> sources(static_cast<size_t>(order.n_layer));
    std::iota(sources.begin(), sources.end(), 0);
    for (size_t i = 0; i < std::min(count, order.steps.size()); ++i) {
        sources[static_cast<size_t>(order.steps[i].layer)] = order.steps[i].source;
        for (int& source : sources) source = sources[static_cast<size_t>(source)];
    }
    return sources;
}

std::vector<WiringEdit> sharing_edits(const SharingOrder& order, size_t count, int n_kv_head) {
    std::vector<WiringEdit> edits;
    const std::vector<int> sources = shared_sources(order, count);
    for (int layer = 0; layer < order.n_layer; ++layer) {
        const int source = sources[static_cast<size_t>(layer)];
        if (source == layer) continue;
        WiringEdit edit{.kind = WiringEdit::Kind::kRead, .layer = source};
        for (const KvTable table : {KvTable::kKeys, KvTable::kValues})
            for (int head = 0; head < n_kv_head; ++head)
                edit.heads.push_back({table, {layer, head}});
        edits.push_back(std::move(edit));
    }
    return edits;
}

}  // namespace headroom
