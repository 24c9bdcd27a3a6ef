#include "panels/study/run_source.h"

namespace headroom {

FigureSource figure_source(const Run& run) {
    const RunLogAttributes& log = run.series->attributes;
    return {run.id,      run.folder.string(), log.job_json,
            log.program, log.started,         std::string(name_of(run.series->state))};
}

}  // namespace headroom
