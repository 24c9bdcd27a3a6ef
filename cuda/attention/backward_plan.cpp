#include "cuda/attention/backward_plan.h"

#include <algorithm>
#include <map>
#include <utility>

namespace headroom::cuda {
namespace {

/// The pairs of key and value heads, each once, with all that read them.
std::vector<BackwardPlan::Item> items_of(const AttentionOptions& o) {
    std::vector<BackwardPlan::Item> items;
    for (int h = 0; h < static_cast<int>(o.n_head); ++h) {
        const auto g = static_cast<size_t>(o.kv_head_of(h));
        const HeadRef key = o.key_heads[g], value = o.value_heads[g];
        const auto same = [&](const auto& item) { return item.key == key && item.value == value; };
        auto at = std::find_if(items.begin(), items.end(), same);
        if (at == items.end()) at = items.insert(items.end(), {key, value, {}, {}, {}});
        at->readers.push_back(h);
    }
    return items;
}

}  // namespace

BackwardPlan::BackwardPlan(const AttentionOptions& o, const std::vector<size_t>& targets,
                           const std::vector<int>& head_counts) {
    std::map<std::pair<int, int>, size_t> rounds_of;  // output, head -> rounds that wrote it
    const auto output_of = [&](int input) {
        const auto at = std::find(targets.begin(), targets.end(), static_cast<size_t>(input));
        return input < 0 || at == targets.end() ? -1 : static_cast<int>(at - targets.begin());
    };
    for (Item& item : items_of(o)) {
        item.dkey = {output_of(item.key.input), item.key.head};
        item.dvalue = {output_of(item.value.input), item.value.head};
        item.one_target = item.dkey.output >= 0 && item.dkey == item.dvalue;
        size_t round = 0;
        for (Target* target : {&item.dkey, &item.dvalue}) {
            const auto before = rounds_of.find({target->output, target->head});
            if (target->output < 0 || before == rounds_of.end()) continue;
            target->add = true;
            round = std::max(round, before->second);
        }
        if (item.dkey.output < 0 && item.dvalue.output < 0) continue;
        for (const Target& target : {item.dkey, item.dvalue})
            if (target.output >= 0) rounds_of[{target.output, target.head}] = round + 1;
        if (rounds.size() <= round) rounds.resize(round + 1);
        rounds[round].push_back(std::move(item));
    }
    if (const int output = output_of(0); output >= 0)
        for (int h = 0; h < static_cast<int>(o.n_head); ++h) {
            queries.push_back({output, h, rounds_of.contains({output, h})});
            rounds_of[{output, h}] = rounds.size() + 1;
        }
    for (int output = 0; output < static_cast<int>(targets.size()); ++output)
        for (int head = 0; head < head_counts[static_cast<size_t>(output)]; ++head)
            if (!rounds_of.contains({output, head})) zeros.push_back({output, head});
}

}  // namespace headroom::cuda
