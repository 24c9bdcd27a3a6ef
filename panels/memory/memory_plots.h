#pragma once

#include "panels/memory/memory_figure.h"

namespace headroom {

/// Private to panels/memory: the three plots. Models have vocabularies and, for the first two, a
/// cache.
void fill_cache_plot(const std::vector<MemoryModel>& models, const MemoryFigureSettings& settings,
                     MemoryView& view);
void fill_bytes_per_token_plot(const std::vector<MemoryModel>& models,
                               const MemoryFigureSettings& settings, MemoryView& view);
void fill_breakdown_plot(const std::vector<MemoryModel>& models,
                         const MemoryFigureSettings& settings, MemoryView& view);

}  // namespace headroom
