#include "app/vocabulary.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/config/usual_vocabulary.h"
#include "core/data/data_spec.h"
#include "datasets/open_data.h"

namespace headroom {

std::string resolve_vocabulary(Job& job, bool preset_alone) {
    if (job.model.vocab_size > 0) return "";
    if (job.model.reads_images() && !job.data.are_images()) {
        job.model.vocab_size = usual_vocabulary(job.model);
        return "10 classes assumed, until the data say";
    }
    if (preset_alone) {
        job.model.vocab_size = usual_vocabulary(job.model);
        return "256 assumed: bytes, until the data say";
    }
    try {
        const std::string mask = job.train.is_masked() ? ", and the mask" : "";
        const int64_t known = known_vocabulary(job.data);
        const int64_t tokens = known > 0 ? known : open_data(job.data, job.seed)->info().vocab_size;
        job.model.vocab_size = tokens + job.train.added_tokens();
        const bool by_tokenizer =
            known > 0 && data_kind_of(job.data.train) == DataSpec::Kind::kText;
        return (by_tokenizer ? "of the tokenizer " + job.data.tokenizer
                             : "of the data " + job.data.train) +
               mask;
    } catch (const UserError& error) {
        const bool images = job.model.reads_images();
        throw UserError(fmt::format("the {} that of the data, but {}, or --set model.{}=N",
                                    images ? "number of classes is" : "vocabulary is", error.what(),
                                    images ? "n_class" : "vocab_size"));
    }
}

}  // namespace headroom
