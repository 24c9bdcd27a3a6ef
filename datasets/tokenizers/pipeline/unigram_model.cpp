#include "datasets/tokenizers/pipeline/unigram_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "datasets/tokenizers/pipeline/vocabulary_json.h"
#include "datasets/tokenizers/tokenizer.h"
#include "datasets/tokenizers/unigram_path.h"

namespace headroom {
namespace {

using nlohmann::json;

class UnigramModel : public PieceModel {
  public:
    explicit UnigramModel(const JsonPart& model) {
        const json* list = model.find("vocab");
        if (list == nullptr || !list->is_array() || list->empty() || list->size() > kMostTokens)
            model.refuse("vocab is no list of pieces", "expect [[\"the\", -3.2], ...]");
        for (const json& item : *list) add(item, model);
        const int64_t unknown = model.number("unk_id", -1);
        if (unknown >= static_cast<int64_t>(spellings_.size()))
            model.refuse(fmt::format("unk_id is {}", unknown), "expect the id of a piece");
        unknown_ = unknown < 0 ? -1 : static_cast<int32_t>(unknown);
        if (model.flag("byte_fallback", false)) bytes_ = byte_tokens(id_of());
        build();
    }

    const std::vector<std::string>& spellings() const override { return spellings_; }

    void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
        const auto parts = path_.best(piece);
        for (size_t i = 0; i < parts.size();) {
            if (parts[i].id >= 0 && parts[i].id != unknown_) {
                ids.push_back(parts[i++].id);
                continue;
            }
            size_t last = i;
            while (last + 1 < parts.size() && is_unknown(parts[last + 1].id)) ++last;
            add_unknown(piece.substr(parts[i].start, parts[last].end - parts[i].start), ids);
            i = last + 1;
        }
    }

  private:
    std::function<int32_t(const std::string&)> id_of() const {
        return [this](const std::string& name) {
            const auto found = ids_.find(name);
            return found == ids_.end() ? -1 : found->second;
        };
    }
    bool is_unknown(int32_t id) const { return id < 0 || id == unknown_; }

    void add(const json& item, const JsonPart& model) {
        const bool fits = item.is_array() && item.size() == 2 && item[0].is_string() &&
                          item[1].is_number() && std::isfinite(item[1].get<double>());
        if (!fits)
            model.refuse(fmt::format("piece {} is {}", spellings_.size(), shown(item)),
                         "expect [\"the\", -3.2]");
        spellings_.push_back(item[0].get<std::string>());
        scores_.push_back(item[1].get<double>());
        const auto id = static_cast<int32_t>(spellings_.size()) - 1;
        if (!ids_.emplace(spellings_.back(), id).second)
            model.refuse(fmt::format("the piece \"{}\" stands there twice", spellings_.back()),
                         "keep one of them");
    }

    void build() {
        std::vector<UnigramPath::Piece> pieces;
        for (size_t i = 0; i < spellings_.size(); ++i)
            if (!spellings_[i].empty())
                pieces.push_back({spellings_[i], static_cast<int32_t>(i), scores_[i]});
        const double least = *std::min_element(scores_.begin(), scores_.end());
        path_ = UnigramPath(pieces, least - kUnknownPenalty, UnigramPath::Sums::kDouble);
    }

    void add_unknown(std::string_view run, std::vector<int32_t>& ids) const {
        if (const auto whole = ids_.find(std::string(run)); whole != ids_.end())
            return ids.push_back(whole->second);
        const bool has_bytes = !bytes_.empty() && std::all_of(run.begin(), run.end(), [&](char c) {
            return bytes_[static_cast<unsigned char>(c)] >= 0;
        });
        if (has_bytes) {
            for (const char c : run) ids.push_back(bytes_[static_cast<unsigned char>(c)]);
        } else if (unknown_ >= 0) {
            ids.push_back(unknown_);
        } else {
            throw UserError(
                "the text has characters that the vocabulary lacks, and it has no "
                "unknown token",
                "use a tokenizer with unk_id or byte_fallback");
        }
    }

    std::vector<std::string> spellings_;
    std::vector<double> scores_;
    std::unordered_map<std::string, int32_t> ids_;
    std::vector<int32_t> bytes_;  ///< empty without byte_fallback
    int32_t unknown_ = -1;
    UnigramPath path_;
};

}  // namespace

std::unique_ptr<PieceModel> make_unigram_model(const JsonPart& model) {
    return std::make_unique<UnigramModel>(model);
}

}  // namespace headroom
