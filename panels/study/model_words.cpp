#include "panels/study/model_words.h"

#include <fmt/format.h>

#include "core/study/run_job.h"

namespace headroom {

std::string why_no_model(const Run& run) {
    return is_imported(RunFolder{run.folder})
               ? fmt::format("{} was imported: nothing is known of its model.", run.name)
               : fmt::format("Nothing is known of the model of {}.", run.name);
}

}  // namespace headroom
