#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/wiring/head_id.h"
#include "core/wiring/wiring.h"

namespace headroom {

/// What the heads of all layers read: one table of a wiring, keys or values.
using SourceTable = std::vector<std::vector<HeadSources>>;

/// What a rule knows of the model.
struct SourceSizes {
    int n_layer = 0;
    int n_kv_head = 0;
};

/// A value of model.value_source or model.key_source: a rule that writes one table. A variant that
/// is only a wiring is one more entry of the list in source_rules.cpp: parameters, cache, FLOPs,
/// pictures, the form, KEYS.md and the engine follow from the table that it returns.
struct SourceRule {
    std::string name;
    std::string title;  ///< as a brush of the studio
    std::string help;   ///< a few words: whose heads are read
    bool for_keys = true;
    /// Throws UserError naming the key if the choice is impossible.
    SourceTable (*build)(const WiringChoice& choice, KvTable which, SourceSizes sizes);
};

const std::vector<SourceRule>& source_rules();

/// The rule of that name. Throws UserError naming `key` ("value_source") if there is none.
const SourceRule& source_rule(const std::string& name, KvTable which);

/// KeyError unless model.skip_layer, a layer counted from 1, is `least` to `n_layer`; where `least`
/// is 0, a choice of 0 injects nothing.
void check_skip_layer(int64_t skip_layer, int least, int n_layer);

/// The layers with keys and values of their own under yoco where the choice leaves it open.
int default_yoco_split(int n_layer);

/// The table that `choice` makes of keys or of values.
SourceTable source_table(const WiringChoice& choice, KvTable which, SourceSizes sizes);

/// The names of the rules for keys or for values, in the order of the list.
std::vector<std::string> source_rule_names(KvTable which);

/// "own layer (own), ...": what they do.
std::string source_rule_help(KvTable which);

}  // namespace headroom
