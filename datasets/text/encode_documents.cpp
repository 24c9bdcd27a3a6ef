#include "datasets/text/encode_documents.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

TextCheck check_for(const std::string& tokenizer_spec) {
    return tokenizer_spec == "byte" ? TextCheck::kBytes : TextCheck::kUtf8;
}

TokenArray encode_documents(const Tokenizer& tokenizer, const Documents& documents) {
    if (tokenizer.name() == "byte") return TokenArray::from_bytes(join_documents(documents));
    const int32_t end = end_of_text(tokenizer);
    if (end < 0) return TokenArray::from_ids(tokenizer.encode(join_documents(documents)));
    std::vector<int32_t> all;
    for (const Document& document : documents) {
        const std::vector<int32_t> ids = tokenizer.encode(document.text);
        all.insert(all.end(), ids.begin(), ids.end());
        all.push_back(end);
    }
    return TokenArray::from_ids(all);
}

}  // namespace headroom
