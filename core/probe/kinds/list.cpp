#include "core/probe/probe_kind.h"

namespace headroom {

// Each in the file of its name.
namespace kinds {
namespace absorption {
ProbeKind kind();
}
namespace ablation {
ProbeKind kind();
}
namespace attention {
ProbeKind kind();
}
namespace eval {
ProbeKind kind();
}
namespace heads {
ProbeKind kind();
}
namespace linear {
ProbeKind kind();
}
namespace logit_lens {
ProbeKind kind();
}
namespace mixing {
ProbeKind kind();
}
namespace rewire {
ProbeKind kind();
}
namespace sharing {
ProbeKind kind();
}
namespace similarity {
ProbeKind kind();
}
namespace weights {
ProbeKind kind();
}
namespace wiring {
ProbeKind kind();
}
}  // namespace kinds

const std::vector<ProbeKind>& probe_kinds() {
    static const std::vector<ProbeKind> kinds{
        kinds::attention::kind(),  kinds::heads::kind(),   kinds::similarity::kind(),
        kinds::logit_lens::kind(), kinds::weights::kind(), kinds::mixing::kind(),
        kinds::absorption::kind(), kinds::linear::kind(),  kinds::ablation::kind(),
        kinds::rewire::kind(),     kinds::wiring::kind(),  kinds::sharing::kind(),
        kinds::eval::kind(),
    };
    return kinds;
}

}  // namespace headroom
