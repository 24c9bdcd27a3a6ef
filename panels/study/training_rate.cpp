#include "panels/study/training_rate.h"

#include <utility>

#include "core/account/flops.h"
#include "core/stats/median.h"

namespace headroom {

double training_rate(const std::vector<RunPointer>& runs) {
    constexpr size_t kEnough = 9;
    std::vector<double> rates;
    for (const RunPointer& run : runs) {
        const TrainSeries& train = run->series->train;
        if (!run->job || run->job->model.vocab_size <= 0 || train.seconds.empty() ||
            !(train.seconds.back() > 0))
            continue;
        const FlopCount flops = count_flops(run->job->model, run->job->train.seq_len);
        // Evaluations and checkpoints included: it is to tell how long runs take.
        const double tokens = static_cast<double>(train.tokens.back()) / train.seconds.back();
        rates.push_back(static_cast<double>(flops.training()) * tokens);
        if (rates.size() == kEnough) break;
    }
    return rates.empty() ? 0 : median(std::move(rates));
}

}  // namespace headroom
