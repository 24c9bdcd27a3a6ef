#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/account/memory_ledger.h"
#include "core/base/dtype.h"
#include "core/config/model_config.h"
#include "panels/figure/figure.h"

namespace headroom {

/// One of the memory plots of Wu et al. (SkipV1Former), figure 6 a, b and c.
enum class MemoryPlot {
    kCache,          ///< bytes of cache against sequence length, a line for each model
    kBytesPerToken,  ///< bytes of cache per token against parameters, a line for each variant
    kBreakdown,      ///< a column for each model: weights, cache, activations and the rest; and
                     ///< one beside it for what was measured
    kTreemap,        ///< see treemap_view.h
};

/// As `headroom figure memory --plot` has them.
std::string_view name_of(MemoryPlot plot);

struct MemoryModel {
    std::string name;
    ModelConfig model;                 ///< vocab_size 0: that of bytes, or ten classes
    std::shared_ptr<const Job> job{};  ///< how it trains; null: as a job by default
    /// What was held for exactly what the settings ask, if that was measured.
    std::shared_ptr<const MeasuredMemory> measured{};
    std::optional<int> color{};  ///< of its runs in every view; one that is free, of what has none
};

struct MemoryFigureSettings {
    MemoryPlot plot = MemoryPlot::kCache;
    MemoryUse use = MemoryUse::kInference;  ///< of the breakdown; the cache is inference's alone
    DType dtype = DType::kBF16;             ///< of the cache; in the breakdown of everything
    int64_t batch_size = 0;                 ///< 0: 1, in training the job's
    /// Tokens of each sequence, or the last on the axis. 0: as many as the model has positions
    /// (block_size), in training the job's seq_len.
    int64_t context = 0;
    bool log_axes = false;
};

struct MemoryView {
    Figure figure;                   ///< title and size are left to the caller
    std::vector<std::string> notes;  ///< also the figure's footnote
};

/// All numbers but what was measured are predictions and exact for this program: the cache as
/// core/account/kv_cache.h counts it, the breakdown from core/account/memory_ledger.h. A model that
/// keeps no cache, or has no positions for so long a context, is left out or cut short and a note
/// says so; the figure is empty with a reason if nothing is left. Milliseconds per model.
MemoryView build_memory(const std::vector<MemoryModel>& models,
                        const MemoryFigureSettings& settings);

/// What the breakdown asks about a model. A context beyond its positions is cut to them, and a note
/// says so.
MemoryRequest memory_question(const MemoryModel& model, const MemoryFigureSettings& settings,
                              std::vector<std::string>& notes);

/// "inference, float32, batch 4, 2,048 tokens"; of models that are counted at lengths of their
/// own it says so.
std::string conditions_text(const MemoryFigureSettings& settings);
/// The same with the seq_len of these models in place of the settings' 0, where they are alike.
std::string conditions_text(const std::vector<MemoryModel>& models,
                            const MemoryFigureSettings& settings);

/// How the variant of a model is called: its architecture, and how many heads share a key/value.
std::string variant_name(const ModelConfig& model);

}  // namespace headroom
