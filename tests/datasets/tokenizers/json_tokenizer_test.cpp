#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/utf8.h"
#include "datasets/text/normal_form.h"
#include "datasets/tokenizers/text_pattern.h"
#include "datasets/tokenizers/tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTokenizers = (source_tree() / "tests/datasets/fixtures/").string();

/// A fixture with a merge patch, opened.
std::unique_ptr<Tokenizer> open_patched(const TemporaryFolder& folder, const std::string& name,
                                        const json& patch) {
    if (name.ends_with(".model")) return open_tokenizer("sp:" + kTokenizers + name, "");
    json document = json::parse(read_text(kTokenizers + name));
    for (const auto& [key, value] : patch.items())
        if (key == "model")
            document["model"].merge_patch(value);
        else
            document[key] = value;
    std::ofstream(folder / "t.json") << document;
    return open_tokenizer("json:" + (folder / "t.json").string(), "");
}

std::string error_of_document(const json& document) {
    const TemporaryFolder folder;
    std::ofstream(folder / "t.json") << document;
    try {
        open_tokenizer("json:" + (folder / "t.json").string(), "");
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

json fixture(const std::string& name) {
    return json::parse(read_text(kTokenizers + name));
}

TEST(JsonTokenizer, EncodesAndDecodesAsItsPeers) {
    const TemporaryFolder folder;
    std::ifstream file(kTokenizers + "tokenizer_golden.txt");
    std::unique_ptr<Tokenizer> tokenizer;
    std::string variant;
    int variants = 0, cases = 0;
    for (std::string line; std::getline(file, line);) {
        if (line[0] == '#') continue;
        const json row = json::parse(line);
        if (row.size() == 2) {
            variant = line;
            tokenizer = open_patched(folder, row[0], row[1]);
            ++variants;
            continue;
        }
        const std::string text = row[0];
        const std::vector<int32_t> ids = tokenizer->encode(text);
        EXPECT_EQ(ids, row[1].get<std::vector<int32_t>>()) << row[0] << variant;
        if (!row[2].is_null()) {
            EXPECT_EQ(tokenizer->encode_special(text), row[2].get<std::vector<int32_t>>())
                << row[0] << variant;
        }
        EXPECT_EQ(tokenizer->decode_text(ids), row[row[3].is_null() ? 0 : 3].get<std::string>())
            << row[0] << variant;
        ++cases;
    }
    EXPECT_EQ(variants, 14);
    EXPECT_GE(cases, 300);
}

TEST(JsonTokenizer, KnowsWhatStandsAroundAText) {
    const auto llama = open_tokenizer("json:" + kTokenizers + "llama.json", "");
    EXPECT_THAT(llama->tokens_before(), ElementsAre(1));
    EXPECT_THAT(llama->tokens_behind(), ElementsAre());
    EXPECT_EQ(end_of_text(*llama), 2);
    const auto t5 = open_tokenizer("json:" + kTokenizers + "t5.json", "");
    EXPECT_THAT(t5->tokens_before(), ElementsAre());
    EXPECT_THAT(t5->tokens_behind(), ElementsAre(2));
    EXPECT_EQ(t5->special_tokens().count("<extra_id_0>"), 1u);
}

TEST(JsonTokenizer, DecodesTokensOneByOneAsTogether) {
    const auto llama = open_tokenizer("json:" + kTokenizers + "llama.json", "");
    const std::vector<int32_t> ids = llama->encode("a 漢 🙂 king");
    std::string one_by_one;
    for (const int32_t id : ids) one_by_one += llama->decode({&id, 1});
    EXPECT_EQ(one_by_one, " a 漢 🙂 king");
    EXPECT_EQ(llama->decode_text(ids), "a 漢 🙂 king");
    EXPECT_THROW(llama->decode(std::vector<int32_t>{100000}), UserError);
    EXPECT_THROW(llama->encode("ab\xff"), UserError);
}

TEST(JsonTokenizer, CheckpointsKnowItAgain) {
    const TemporaryFolder folder;
    for (const std::string& spec :
         {"json:" + kTokenizers + "llama.json", "sp:" + kTokenizers + "bpe.model"}) {
        const json description = open_tokenizer(spec, "")->to_json();
        EXPECT_EQ(tokenizer_from_json(description)->name(), spec);
        json other = description;
        other["hash"] = "0000000000000000";
        EXPECT_THROW(tokenizer_from_json(other), UserError);
    }
    // As earlier versions described a tokenizer.json.
    const json older = {{"kind", "bpe"},
                        {"spec", "json:" + kTokenizers + "tokenizer.json"},
                        {"vocab_size", 757},
                        {"vocabulary_hash", "0123456789abcdef"}};
    EXPECT_EQ(tokenizer_from_json(older)->vocab_size(), 757);
}

TEST(JsonTokenizer, RefusesByNameWhatItCannotRead) {
    json document = fixture("tokenizer.json");
    EXPECT_EQ(error_of_document(document), "no error");
    const auto with = [&](const char* key, const json& value) {
        json changed = document;
        changed[key] = value;
        return error_of_document(changed);
    };
    EXPECT_THAT(with("normalizer", {{"type", "NFKC"}}), HasSubstr("NFKC"));
    EXPECT_THAT(with("normalizer", {{"type", "Lowercase"}}), HasSubstr("known are NFC, NFD"));
    EXPECT_THAT(with("pre_tokenizer", {{"type", "BertPreTokenizer"}}),
                HasSubstr("is not read here"));
    EXPECT_THAT(with("decoder", {{"type", "WordPiece"}}), HasSubstr("is not read here"));
    EXPECT_THAT(with("post_processor", {{"type", "Other"}}), HasSubstr("is not read here"));
    EXPECT_THAT(with("pre_tokenizer",
                     {{"type", "Split"}, {"behavior", "Isolated"}, {"pattern", {{"Regex", "(a"}}}}),
                HasSubstr("is wrong"));
    EXPECT_THAT(with("model", {{"type", "WordPiece"}}), HasSubstr("only BPE and Unigram"));
    EXPECT_THAT(error_of_document(json(3)), HasSubstr("is no object"));
    EXPECT_THAT(error_of_document(json::object()), HasSubstr("model is absent"));
}

TEST(JsonTokenizer, RefusesVocabulariesThatContradictThemselves) {
    const json document = fixture("tokenizer.json");
    const auto model_with = [&](const char* key, const json& value) {
        json changed = document;
        changed["model"][key] = value;
        return error_of_document(changed);
    };
    json vocabulary = document["model"]["vocab"];
    vocabulary["the"] = vocabulary["and"];
    EXPECT_THAT(model_with("vocab", vocabulary), HasSubstr("belongs to two tokens"));
    vocabulary["the"] = 4'000'000'000;
    EXPECT_THAT(model_with("vocab", vocabulary), HasSubstr("impossible id 4000000000"));
    vocabulary = document["model"]["vocab"];
    vocabulary.erase("~");
    EXPECT_THAT(model_with("vocab", vocabulary), HasSubstr("byte 126"));
    EXPECT_THAT(model_with("merges", {"a b", 7}), HasSubstr("merge"));
    EXPECT_THAT(model_with("merges", {"Q Q"}), HasSubstr("\"QQ\", which is not a token"));
    EXPECT_THAT(model_with("dropout", 0.1), HasSubstr("dropout is 0.1"));
    json changed = document;
    changed["added_tokens"][0]["id"] = 3;
    EXPECT_THAT(error_of_document(changed), HasSubstr("an id that is not its own, 3"));
    changed["added_tokens"][0]["id"] = -1;
    EXPECT_THAT(error_of_document(changed), HasSubstr("has the id -1"));
    json unigram = fixture("t5.json");
    unigram["model"]["unk_id"] = 100000;
    EXPECT_THAT(error_of_document(unigram), HasSubstr("unk_id is 100000"));
    unigram["model"]["vocab"][5] = {"a"};
    EXPECT_THAT(error_of_document(unigram), HasSubstr("piece 5"));
}

TEST(JsonTokenizer, CutOffAnywhereNeverCrash) {
    const TemporaryFolder folder;
    for (const std::string name : {"llama.json", "t5.json", "unigram.model", "bpe.model"}) {
        const std::string whole = read_text(kTokenizers + name);
        const std::string spec =
            (name.ends_with("json") ? "json:" : "sp:") + (folder / name).string();
        for (size_t length = 0; length + 97 < whole.size(); length += 97) {
            std::ofstream(folder / name) << whole.substr(0, length);
            try {
                open_tokenizer(spec, "")->encode("the king");  // a .model may end between pieces
            } catch (const UserError& error) {
                EXPECT_THAT(error.what(), HasSubstr(name));
            }
        }
    }
}

TEST(SentencePiece, TakesBytesThatAreNoUtf8) {
    const auto bpe = open_tokenizer("sp:" + kTokenizers + "bpe.model", "");
    const std::vector<int32_t> ids = bpe->encode("a\xff\xe2\x82z");
    EXPECT_EQ(bpe->decode_text(ids), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST(TextPattern, WritesOutWhatOnigurumaReadsOtherwise) {
    EXPECT_EQ(pcre_of_oniguruma(R"(\d(?m:.)\v{,3})", "x"), R"(\p{Nd}(?s:.)\x{b}{0,3})");
    EXPECT_EQ(pcre_of_oniguruma(R"(\p{Han}\P{L}\p{^Lu}\u0041)", "x"),
              R"(\p{sc:Han}\P{L}\P{Lu}\x{0041})");
    EXPECT_EQ(pcre_of_oniguruma("a{b", "x"), "a\\{b");
    for (const char* refused : {R"(\h)", R"(\b)", "[a[b]]", "[a&&b]", R"([\S])", "(*UTF)a", "a{2}+",
                                "(?~a)", R"(\g<1>)", "[a", R"(\xff)", R"(\)", ""})
        EXPECT_THROW(pcre_of_oniguruma(refused, "x"), UserError) << refused;
}

bool matches(const std::string& expression, std::string_view text) {
    bool found = false;
    TextPattern::regex(expression, "x").find_all(text, [&](size_t, size_t) { found = true; });
    return found;
}

// Compared with tokenizers 0.23.3 over all characters up to U+1FFFF: none differs.
TEST(TextPattern, WordCharactersAreThoseOfTheEngineThatPeersUse) {
    const std::string rust = "[" + rust_word_characters() + "]", oniguruma = R"(\w)";
    for (const char* both : {"a", "é", "́", "٣", "_", "‿", "Ⅷ", "ⓐ", "🅰"}) {
        EXPECT_TRUE(matches(rust, both)) << both;
        EXPECT_TRUE(matches(oniguruma, both)) << both;
    }
    for (const char* neither : {"-", " ", "⅓", "①", "€"}) {
        EXPECT_FALSE(matches(rust, neither)) << neither;
        EXPECT_FALSE(matches(oniguruma, neither)) << neither;
    }
    for (const char* joiner : {"‌", "‍"}) {
        EXPECT_TRUE(matches(rust, joiner));
        EXPECT_FALSE(matches(oniguruma, joiner));
    }
    for (const char* number : {"²", "¹", "½"}) {
        EXPECT_FALSE(matches(rust, number)) << number;
        EXPECT_TRUE(matches(oniguruma, number)) << number;
        EXPECT_FALSE(matches("[\\w]", number)) << number << ": another answer in a class";
    }
}

TEST(NormalForm, PutsTogetherAndTakesApart) {
    EXPECT_EQ(to_nfc("e\u0301 a\u0323\u0302 q\u0307\u0323 각 \u2126 \u0958"),
              "\u00e9 \u1ead q\u0323\u0307 \uac01 \u03a9 \u0915\u093c");
    EXPECT_EQ(to_nfd("\u1ead \uac01 \u0344"), "a\u0323\u0302 \u1100\u1161\u11a8 \u0308\u0301");
    for (const auto& row : normal_form_table::decompositions()) {
        std::string whole;
        append_utf8(whole, row.character);
        const std::string apart = to_nfd(whole);
        EXPECT_NE(apart, whole);
        EXPECT_EQ(to_nfd(apart), apart);
        EXPECT_EQ(to_nfc(apart) == whole, row.composes && row.second != 0) << apart;
    }
}

}  // namespace
}  // namespace headroom
