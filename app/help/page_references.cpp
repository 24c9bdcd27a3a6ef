#include "app/help/page_references.h"

namespace headroom {

const std::vector<PageReferences>& page_references() {
    static const std::vector<PageReferences> all{
        {"runs",
         {"study run", "study status", "study stop", "study trash"},
         {"core/study/README.md#"}},
        {"table",
         {"study runs", "study label"},
         {"core/study/README.md#What people add: `labels.json`"}},
        {"newRuns",
         {"train", "study new", "study templates", "study predict"},
         {"core/config/KEYS.md#Training"}},
        {"details", {"log dump", "describe"}, {"core/log/README.md#What is in it"}},
        {"losses",
         {"study compare", "study check", "figure loss"},
         {"core/study/README.md#Claims: `expect`", "core/study/README.md#Divergence"}},
        {"series", {"log dump", "figure loss"}, {"core/log/README.md#What is in it"}},
        {"experts",
         {"figure experts", "log dump"},
         {"core/config/KEYS.md#Experts", "core/log/README.md#What is in it"}},
        {"inspector",
         {"probe attention", "probe heads", "figure attention"},
         {"core/probe/README.md#`attention`: all maps", "core/probe/README.md#Models of images",
          "core/probe/README.md#`heads`: one number per head"}},
        {"similarity",
         {"probe similarity", "figure similarity"},
         {"core/probe/README.md#`similarity`"}},
        {"profiles",
         {"probe linear", "probe logit_lens", "probe weights", "figure profile"},
         {"core/probe/README.md#`logit_lens`: the logit lens",
          "core/probe/README.md#`linear`: linear probes",
          "core/probe/README.md#`weights`: of every matrix"}},
        {"compare", {"describe"}, {"README.md#Attention variants"}},
        {"wiring", {"describe", "figure wiring"}, {"README.md#Attention variants"}},
        {"drawWiring", {"describe", "probe rewire"}, {"core/config/KEYS.md#Sharing across layers"}},
        {"architecture", {"figure architecture"}, {"core/config/KEYS.md#Block"}},
        {"memory", {"memory", "figure memory"}, {"core/config/KEYS.md#Sharing across layers"}},
        {"playground", {"generate"}, {"README.md#Checkpoints of other tools"}},
        {"figures", {"figure loss", "figure table"}, {"core/study/README.md#"}},
        {"surgery",
         {"surgery plan", "surgery apply", "figure surgery"},
         {"core/surgery/README.md#", "core/surgery/README.md#Models with norms"}},
        {"absorption", {"absorb decide", "absorb apply"}, {"core/absorb/README.md#"}},
        {"lab",
         {"lab"},
         {"core/lab/README.md#", "core/lab/README.md#Where our answers differ from the papers"}},
    };
    return all;
}

}  // namespace headroom
