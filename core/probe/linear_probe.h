#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/probe/probe_classifiers.h"
#include "core/probe/probe_pass.h"

namespace headroom {

/// How the probes of all layers are trained.
struct LinearProbeOptions {
    std::vector<int64_t> layers = {};  ///< whose outputs are probed, ascending; empty: all
    std::vector<double> rates = {1e-4, 2e-4, 3e-4};
    int64_t steps = 4000;
    bool control = true;  ///< control tasks too, for the selectivity; images have none
    int fit_first = -1, fit_last = -1;      ///< layers of the slope; -1: the deep half (deep_half)
    std::function<bool()> keep_going = {};  ///< asked at every step; false: give up
    std::function<void(int64_t step, double loss)> on_step = {};  ///< mean over the probes
};

/// What the probes came to; one number per probed layer unless said otherwise. Losses in nats per
/// token, of images per picture.
struct LinearProbeResult {
    std::vector<int32_t> layers;
    std::vector<double> rates;         ///< [R]
    std::vector<double> all_val_loss;  ///< [L, R]
    std::vector<double> lr;            ///< the rate with the lowest validation loss
    std::vector<double> val_loss;      ///< with that rate
    std::vector<double> train_loss;    ///< with that rate, mean over the last tenth of the steps
    /// Of the control task with its own best rate, and what it is above val_loss; empty without.
    std::vector<double> control_val_loss, selectivity;
    std::vector<double> val_accuracy;  ///< with that rate, of images; else empty
    int64_t steps = 0;                 ///< of training; 0: an earlier file, which does not say
    double slope = 0;                  ///< of val_loss against the layer, nats per layer
    int32_t slope_first = 0, slope_last = 0;

    bool operator==(const LinearProbeResult&) const = default;
};

/// The layers that the slope is fitted on by default: 7 to 11 of 12, and at least two if there are.
std::pair<int, int> deep_half(int64_t n_layer);

/// The job's training section as probes use it: batches, AdamW, clipping and evaluation as in
/// pre-training, warm-up and cosine with the same shares of `steps`.
TrainConfig probe_training(const TrainConfig& train, int64_t steps);

/// Targets of the control task: a fixed random target for each token type, drawn from the
/// distribution of the targets in the first batches of training (Hewitt and Liang 2019,
/// arXiv:1909.03368, section 2.1). [vocab_size]
std::vector<int32_t> control_targets(const Job& job, const DataSource& data, int64_t vocab_size);

/// Trains linear probes on the residual stream after each block of a frozen model, from which
/// `load` fills a forward pass in evaluation mode: LayerNorm with a gain and a linear map to the
/// vocabulary (Wu et al., SkipV1Former, appendix C.1; semantics, section 16); of images on what the
/// classifier would pool of that stream, to the classes. One forward pass per batch serves the
/// probes of all layers, rates and tasks. UserError for layers that the model does not have;
/// EnvironmentError if the memory is short. `job` gives the model, the data's seed, the batches and
/// the optimizer. The same job and options give the same numbers, bit for bit.
LinearProbeResult train_linear_probes(const Job& job, const DataSource& data,
                                      const std::function<void(ProbePass&)>& load,
                                      const LinearProbeOptions& options, Device& device);

/// What it allocates on the CPU of this machine: the pass and the classifiers.
int64_t linear_probe_bytes(const Job& job, const LinearProbeOptions& options, int threads);

}  // namespace headroom
