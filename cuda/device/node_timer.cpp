#include "cuda/device/node_timer.h"

namespace headroom::cuda {

void NodeTimer::start(size_t node, cudaStream_t stream) {
    if (used_ == kMostSpans) collect();
    if (used_ == spans_.size()) spans_.emplace_back();
    Span& span = spans_[used_++];
    span.node = node;
    span.start.record(stream);
}

void NodeTimer::stop(cudaStream_t stream) {
    spans_[used_ - 1].stop.record(stream);
}

void NodeTimer::reset() {
    collect();
    totals_.assign(totals_.size(), Total());
}

const std::vector<NodeTimer::Total>& NodeTimer::totals() {
    collect();
    return totals_;
}

void NodeTimer::collect() {
    if (used_ > 0) spans_[used_ - 1].stop.wait();
    for (size_t i = 0; i < used_; ++i) {
        Total& total = totals_[spans_[i].node];
        total.seconds += spans_[i].stop.seconds_since(spans_[i].start);
        ++total.launches;
    }
    used_ = 0;
}

}  // namespace headroom::cuda
