#include "app/data/text_tokens.h"

#include <charconv>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/base/utf8.h"
#include "core/data/tokenizer_spec.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

struct Arguments {
    std::string tokenizer, file;
    bool lines = false, special = false, around = false, json = false;
};

std::string read_all(const std::string& file) {
    if (file != "-") return read_text(file);
    return {std::istreambuf_iterator<char>(std::cin), {}};
}

/// The whole text, or its lines without their ends.
std::vector<std::string_view> documents_of(std::string_view text, bool lines) {
    if (!lines) return {text};
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

std::vector<int32_t> ids_of(const Tokenizer& tokenizer, std::string_view text,
                            const Arguments& arguments) {
    std::vector<int32_t> ids =
        arguments.special ? tokenizer.encode_special(text) : tokenizer.encode(text);
    if (!arguments.around) return ids;
    const std::vector<int32_t> before = tokenizer.tokens_before();
    const std::vector<int32_t> behind = tokenizer.tokens_behind();
    ids.insert(ids.begin(), before.begin(), before.end());
    ids.insert(ids.end(), behind.begin(), behind.end());
    return ids;
}

void encode(const Arguments& arguments) {
    const std::string text = read_all(arguments.file);
    const std::unique_ptr<Tokenizer> tokenizer =
        open_tokenizer(arguments.tokenizer, arguments.tokenizer == "char" ? text : "");
    for (const std::string_view document : documents_of(text, arguments.lines)) {
        const std::vector<int32_t> ids = ids_of(*tokenizer, document, arguments);
        if (!arguments.json) {
            fmt::print("{}\n", fmt::join(ids, " "));
            continue;
        }
        std::vector<std::string> pieces;
        for (const int32_t id : ids) pieces.push_back(tokenizer->decode({&id, 1}));
        fmt::print("{}\n", dump_text(nlohmann::ordered_json{{"tokens", ids.size()},
                                                            {"bytes", document.size()},
                                                            {"ids", ids},
                                                            {"pieces", pieces}}));
    }
}

/// Numbers between white space, commas and brackets.
std::vector<int32_t> parse_ids(std::string_view text) {
    constexpr std::string_view kBetween = " \t\r\n,[]";
    std::vector<int32_t> ids;
    for (size_t at = text.find_first_not_of(kBetween); at < text.size();
         at = text.find_first_not_of(kBetween, at)) {
        const size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        int32_t id = 0;
        const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, id);
        if (error != std::errc() || rest != text.data() + end || id < 0)
            throw UserError(
                fmt::format("\"{}\" is no token id", printable(text.substr(at, end - at), 40)),
                "give numbers with spaces or commas between");
        ids.push_back(id);
        at = end;
    }
    return ids;
}

void decode(const Arguments& arguments) {
    if (arguments.tokenizer == "char")
        throw UserError("char has no vocabulary without its text", "name another tokenizer");
    const std::string text = read_all(arguments.file);
    const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer(arguments.tokenizer, "");
    for (const std::string_view ids : documents_of(text, arguments.lines))
        fmt::print("{}{}", tokenizer->decode_text(parse_ids(ids)), arguments.lines ? "\n" : "");
}

void add_common(CLI::App& command, Arguments& arguments) {
    command.add_option("--tokenizer", arguments.tokenizer, tokenizer_forms())->required();
    command.add_flag("--lines", arguments.lines, "Each line is a document of its own");
}

}  // namespace

void add_text_token_commands(CLI::App& data) {
    const auto a = std::make_shared<Arguments>();
    CLI::App* command = data.add_subcommand("encode", "Print the token ids of a text");
    add_common(*command, *a);
    command->add_option("FILE", a->file, "Text file; - reads standard input")->required();
    command->add_flag("--special", a->special,
                      "Special tokens may be spelled out in the text; else they are text");
    command->add_flag("--template", a->around,
                      "With the tokens that the tokenizer puts around a text, such as <s>");
    command->add_flag("--json", a->json, "A JSON object a document, with what each token reads as");
    command->callback([a] { encode(*a); });

    const auto b = std::make_shared<Arguments>();
    command = data.add_subcommand("decode", "Print the text of token ids");
    add_common(*command, *b);
    command->add_option("FILE", b->file, "File with the ids; - reads standard input")->required();
    command->callback([b] { decode(*b); });
}

}  // namespace headroom
