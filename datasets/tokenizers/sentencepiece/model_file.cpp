#include "datasets/tokenizers/sentencepiece/model_file.h"

#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/base/protobuf.h"
#include "core/base/utf8.h"
#include "datasets/tokenizers/pipeline/piece_model.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

using Piece = SentencePieceFile::Piece;
using Use = SentencePieceFile::Use;

class Parser {
  public:
    explicit Parser(const std::string& source) : source_(source) {}

    SentencePieceFile parse(std::string_view bytes) {
        ProtobufReader model(bytes, source_);
        while (model.next()) {
            if (model.field() == 1) add_piece(model.bytes());
            if (model.field() == 2) read_trainer(model.bytes());
            if (model.field() == 3) read_normalizer(model.bytes());
            if (model.field() == 5) read_denormalizer(model.bytes());
        }
        check();
        return std::move(file_);
    }

  private:
    [[noreturn]] void refuse(const std::string& what, const std::string& mend) const {
        throw UserError(fmt::format("{}: {}", source_, what), mend);
    }

    void add_piece(std::string_view bytes) {
        Piece piece;
        ProtobufReader fields(bytes, source_);
        while (fields.next()) {
            if (fields.field() == 1) piece.text = fields.bytes();
            if (fields.field() == 2) piece.score = fields.float32();
            if (fields.field() == 3) piece.use = use_of(fields.integer());
        }
        const size_t id = file_.pieces.size();
        if (id >= static_cast<size_t>(kMostTokens))
            refuse("it has too many pieces", fmt::format("expect up to {}", kMostTokens));
        if (piece.text.empty() || find_invalid_utf8(piece.text) != std::string::npos)
            refuse(fmt::format("piece {} is empty or no UTF-8", id), "take it from its source");
        if (!std::isfinite(piece.score))
            refuse(fmt::format("the score of piece {} is no number", id),
                   "take it from its source");
        if (!texts_.insert(piece.text).second)
            refuse(fmt::format("the piece \"{}\" stands there twice", printable(piece.text, 60)),
                   "take it from its source");
        file_.pieces.push_back(std::move(piece));
    }

    Use use_of(int64_t number) const {
        if (number < 1 || number > 6)
            refuse(fmt::format("a piece is of the kind {}", number), "kinds are 1 to 6");
        return static_cast<Use>(number);
    }

    void read_trainer(std::string_view bytes) {
        ProtobufReader fields(bytes, source_);
        while (fields.next()) {
            if (fields.field() == 3) read_kind(fields.integer());
            if (fields.field() == 24) file_.space_behind = fields.flag();
            if (fields.field() == 35) file_.byte_fallback = fields.flag();
            if (fields.field() == 44) file_.unknown_surface = fields.bytes();
        }
    }

    void read_kind(int64_t number) {
        if (number < 1 || number > 4 || number == 3)
            refuse(
                fmt::format("its model is of the kind {}{}", number, number == 3 ? ", words" : ""),
                "read are 1 (unigram), 2 (bpe) and 4 (char)");
        file_.kind = static_cast<SentencePieceFile::Kind>(number);
    }

    void read_normalizer(std::string_view bytes) {
        ProtobufReader fields(bytes, source_);
        while (fields.next()) {
            if (fields.field() == 2) file_.rules = Charsmap(fields.bytes(), source_);
            if (fields.field() == 3) file_.add_dummy_prefix = fields.flag();
            if (fields.field() == 4) file_.remove_extra_spaces = fields.flag();
            if (fields.field() == 5) file_.escape_spaces = fields.flag();
        }
    }

    void read_denormalizer(std::string_view bytes) const {
        ProtobufReader fields(bytes, source_);
        while (fields.next())
            if (fields.field() == 2 && !fields.bytes().empty())
                refuse("it has rules for writing text (denormalizer_spec)",
                       "only models without are read");
    }

    void check() {
        bool has_normal = false;
        for (size_t id = 0; id < file_.pieces.size(); ++id) {
            has_normal |= file_.pieces[id].use == Use::kNormal;
            if (file_.pieces[id].use != Use::kUnknown) continue;
            if (file_.unknown >= 0) refuse("it has two unknown pieces", "expect one");
            file_.unknown = static_cast<int32_t>(id);
        }
        if (file_.unknown < 0 || !has_normal)
            refuse("it has no unknown piece or no ordinary one",
                   "expect a SentencePiece .model file");
        for (int byte = 0; file_.byte_fallback && byte < 256; ++byte)
            if (!texts_.contains(fmt::format("<0x{:02X}>", byte)))
                refuse(fmt::format("byte {} has no piece", byte),
                       "byte_fallback needs all of them");
    }

    const std::string& source_;
    SentencePieceFile file_;
    std::unordered_set<std::string> texts_;
};

}  // namespace

SentencePieceFile parse_sentencepiece(std::string_view bytes, const std::string& source) {
    return Parser(source).parse(bytes);
}

}  // namespace headroom
