#include "core/probe/probe_kind.h"

namespace headroom {

// Each in the file of its name.
ProbeKind absorption_probe();
ProbeKind ablation_probe();
ProbeKind attention_probe();
ProbeKind eval_probe();
ProbeKind heads_probe();
ProbeKind linear_probe();
ProbeKind logit_lens_probe();
ProbeKind mixing_probe();
ProbeKind rewire_probe();
ProbeKind sharing_probe();
ProbeKind similarity_probe();
ProbeKind weights_probe();
ProbeKind wiring_probe();

const std::vector<ProbeKind>& probe_kinds() {
    static const std::vector<ProbeKind> kinds{
        attention_probe(), heads_probe(),  similarity_probe(), logit_lens_probe(),
        weights_probe(),   mixing_probe(), absorption_probe(), linear_probe(),
        ablation_probe(),  rewire_probe(), wiring_probe(),     sharing_probe(),
        eval_probe(),
    };
    return kinds;
}

}  // namespace headroom
