#include "core/ops/attention_schedule.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

namespace headroom {
namespace {

using Column = std::pair<int, int>;  // input, head

/// Every gradient column that key/value head g contributes to.
std::vector<Column> columns_of(const AttentionOptions& o, int g) {
    std::vector<Column> columns;
    for (int h = 0; h < static_cast<int>(o.n_head); ++h)
        if (o.kv_head_of(h) == g) columns.emplace_back(0, h);
    const auto index = static_cast<size_t>(g);
    for (const HeadRef& ref : {o.value_heads[index], o.key_heads[index]})
        if (ref.input >= 0) columns.emplace_back(ref.input, ref.head);
    return columns;
}

/// The smallest key/value head that is connected with each one by shared columns.
std::vector<int> components(const AttentionOptions& o) {
    std::vector<int> root(static_cast<size_t>(o.n_kv_head));
    std::iota(root.begin(), root.end(), 0);
    const int heads = static_cast<int>(o.n_kv_head);
    for (int a = 0; a < heads; ++a)
        for (int b = 0; b < a; ++b) {
            const std::vector<Column> of_a = columns_of(o, a), of_b = columns_of(o, b);
            const bool share = std::any_of(of_a.begin(), of_a.end(), [&](const Column& column) {
                return std::find(of_b.begin(), of_b.end(), column) != of_b.end();
            });
            if (!share) continue;
            const int from = root[static_cast<size_t>(a)], to = root[static_cast<size_t>(b)];
            for (int& r : root)
                if (r == std::max(from, to)) r = std::min(from, to);
        }
    return root;
}

}  // namespace

AttentionSchedule::AttentionSchedule(const AttentionOptions& o,
                                     const std::vector<size_t>& targets) {
    std::set<std::pair<int, int>> written;
    const auto target = [&](const Column& column) {
        const auto at =
            std::find(targets.begin(), targets.end(), static_cast<size_t>(column.first));
        if (column.first < 0 || at == targets.end()) return Target{};
        const int output = static_cast<int>(at - targets.begin());
        const bool first = written.insert({output, column.second}).second;
        return Target{output, column.second, first};
    };
    const std::vector<int> roots = components(o);
    for (int root = 0; root < static_cast<int>(o.n_kv_head); ++root) {
        std::vector<KvHead> task;
        for (int g = 0; g < static_cast<int>(o.n_kv_head); ++g) {
            if (roots[static_cast<size_t>(g)] != root) continue;
            KvHead head;
            head.g = g;
            for (int h = 0; h < static_cast<int>(o.n_head); ++h)
                if (o.kv_head_of(h) == g) head.queries.push_back(target({0, h}));
            const HeadRef value = o.value_heads[static_cast<size_t>(g)];
            const HeadRef key = o.key_heads[static_cast<size_t>(g)];
            head.value = target({value.input, value.head});
            head.key = target({key.input, key.head});
            task.push_back(std::move(head));
        }
        if (!task.empty()) tasks.push_back(std::move(task));
    }
    written_.assign(written.begin(), written.end());
}

bool AttentionSchedule::writes(int output, int head) const {
    return std::binary_search(written_.begin(), written_.end(), std::pair{output, head});
}

}  // namespace headroom
