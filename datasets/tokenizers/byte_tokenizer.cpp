#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

class ByteTokenizer : public Tokenizer {
  public:
    std::string name() const override { return "byte"; }
    int64_t vocab_size() const override { return 256; }

    std::vector<int32_t> encode(std::string_view text) const override {
        std::vector<int32_t> ids(text.size());
        for (size_t i = 0; i < text.size(); ++i) ids[i] = static_cast<unsigned char>(text[i]);
        return ids;
    }

    std::string decode(std::span<const int32_t> ids) const override {
        std::string text;
        for (const int32_t id : ids) {
            if (id < 0 || id > 255)
                throw UserError(fmt::format("token {} is not a byte", id), "use ids from 0 to 255");
            text += static_cast<char>(id);
        }
        return text;
    }

    nlohmann::json to_json() const override { return {{"kind", "byte"}}; }
};

}  // namespace

std::unique_ptr<Tokenizer> make_byte_tokenizer() {
    return std::make_unique<ByteTokenizer>();
}

}  // namespace headroom
