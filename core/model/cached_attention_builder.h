#pragma once

#include "core/model/attention_builder.h"
#include "core/model/decode_caches.h"
#include "core/ops/cached_attention.h"

namespace headroom {

/// Attention of a decoding pass: what a layer projects goes into its caches, and its heads read
/// their sources from there.
class CachedAttentionBuilder : public AttentionBuilder {
  public:
    CachedAttentionBuilder(ForwardEmitter& emit, const DecodeCaches& caches)
        : AttentionBuilder(emit), caches_(caches) {}

  protected:
    ValueId heads(int layer, ValueId u) override;
    /// With the up-projections absorbed: scores are taken with the latent itself.
    ValueId latent_heads(int layer, ValueId u) override;

  private:
    void keep(ValueId x, ValueId cache, const std::string& name);
    std::vector<std::vector<CacheSegment>> head_segments(const std::vector<HeadSources>& heads,
                                                         const std::vector<ValueId>& caches,
                                                         std::vector<ValueId>& inputs) const;
    ValueId absorbed_query(int layer, ValueId u);

    const DecodeCaches& caches_;
};

}  // namespace headroom
