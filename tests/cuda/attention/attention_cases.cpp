#include "tests/cuda/attention/attention_cases.h"

#include <cmath>
#include <utility>

#include "core/op_cases/op_case_list.h"

namespace headroom {
namespace {

AttentionCase own(std::string name, int64_t d_head, int64_t d_value, int64_t seq_len) {
    return {std::move(name), own_heads(2, 2, d_head, d_value), seq_len, {2, 2}};
}

}  // namespace

AttentionOptions own_heads(int64_t n_head, int64_t n_kv_head, int64_t d_head, int64_t d_value) {
    AttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = n_kv_head;
    o.d_head = d_head;
    o.d_value = d_value;
    o.scale = 1.0 / std::sqrt(static_cast<double>(d_head));
    for (int g = 0; g < static_cast<int>(n_kv_head); ++g) {
        o.key_heads.push_back({1, g});
        o.value_heads.push_back({2, g});
    }
    return o;
}

std::vector<AttentionCase> width_cases() {
    return {own("of62", 62, 62, 150),
            own("of64", 64, 64, 150),
            own("of80", 80, 80, 70),
            own("of96", 96, 96, 131),
            own("of128", 128, 128, 131),
            own("of96With64", 96, 64, 131),
            own("of192With128", 192, 128, 70),
            own("of20", 20, 20, 64),
            own("ofOddWidths", 33, 17, 66),
            own("of16", 16, 16, 129),
            own("of72", 72, 72, 2),
            own("of64InOneTile", 64, 64, 32)};
}

std::vector<AttentionCase> wiring_cases() {
    std::vector<AttentionCase> cases;
    cases.push_back({"groupedHeads", own_heads(6, 2, 16, 0), 70, {2, 2}});
    AttentionCase all = own("notCausal", 24, 16, 150);
    all.options.causal = false;
    cases.push_back(all);
    for (const int64_t seq_len : {64, 75}) {
        AttentionCase dropped = own("dropoutOf" + std::to_string(seq_len), 64, 64, seq_len);
        dropped.options.dropout = 0.3;
        dropped.options.stream = 5;
        cases.push_back(dropped);
    }
    AttentionCase mixed{"valuesOfAnotherLayer", own_heads(4, 4, 16, 0), 70, {4, 1, 5}};
    mixed.options.value_heads = {{2, 0}, {3, 2}, {3, 2}, {-1, 0}};
    cases.push_back(mixed);
    AttentionCase narrow{"valuesNarrowerThanKeys", own_heads(4, 2, 96, 32), 70, {2, 1, 3}};
    narrow.options.value_heads[1] = {3, 2};
    cases.push_back(narrow);
    AttentionCase tied{"valuesThatAreTheKeys", own_heads(6, 3, 16, 0), 70, {4}};
    tied.options.value_heads = tied.options.key_heads;
    cases.push_back(tied);
    AttentionCase one{"oneKeyForAllGroups", own_heads(4, 4, 16, 0), 70, {1, 4}};
    for (HeadRef& key : one.options.key_heads) key = {1, 0};
    cases.push_back(one);
    AttentionCase identity{"queriesThatAreTheKeys", own_heads(3, 3, 16, 0), 70, {3}};
    for (HeadRef& key : identity.options.key_heads) key.input = 0;
    for (HeadRef& value : identity.options.value_heads) value.input = 1;
    cases.push_back(identity);
    AttentionCase itself{"queriesThatAreKeysAndValues", own_heads(3, 3, 16, 0), 70, {}};
    itself.options.key_heads = {{0, 1}, {0, 1}, {0, 2}};
    itself.options.value_heads = {{0, 1}, {0, 0}, {0, 0}};
    cases.push_back(itself);
    AttentionCase small = own("of128InLittleSharedMemory", 128, 128, 70);
    small.shared_limit = size_t{99} << 10;
    cases.push_back(small);
    return cases;
}

OpCase op_case_of(const AttentionCase& c, DType dtype) {
    OpCaseList list{dtype, true, {}};
    const int64_t batch = 2;
    std::vector<CaseInput> inputs{
        list.normal("q", {batch, c.seq_len, c.options.n_head * c.options.d_head})};
    for (size_t i = 0; i < c.heads.size(); ++i) {
        const int64_t width = c.options.head_width(static_cast<int>(i) + 1);
        inputs.push_back(
            list.normal("source" + std::to_string(i + 1), {batch, c.seq_len, c.heads[i] * width}));
    }
    return list.add(c.name, Attention(c.options), inputs);
}

}  // namespace headroom
