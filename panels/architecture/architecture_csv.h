#pragma once

#include <string>
#include <vector>

#include "panels/architecture/architecture_view.h"

namespace headroom {

/// What the pictures show, as CSV (RFC 4180, UTF-8, LF): comment lines `# …` that name the models
/// and their configurations as JSON, then one row for each weight tensor and for each head that
/// reads another layer:
///
///     model,item,layer,name,shape,parameters,head,source_layer,source_head,weight
///
/// `item` is tensor, key, value, latent or average; layers and heads are 0-based, as in tensor
/// names; the layer of a tensor outside the blocks is empty. For a latent, `head` is the first
/// coordinate that the layer takes from the source; for an average, `source_layer` -1 is the
/// embedding.
std::string architecture_csv(const std::vector<ArchitectureView>& views);

}  // namespace headroom
