#include "app/data/prepare_tokens.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/data/document_joiner.h"
#include "app/eprint.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/run_folder.h"
#include "datasets/formats/token_manifest.h"
#include "datasets/formats/token_stream.h"
#include "datasets/text/encode_documents.h"
#include "datasets/text/seen_texts.h"

namespace headroom {
namespace {

/// The char vocabulary needs all of the text, the others none.
std::unique_ptr<Tokenizer> open_tokenizer_for(const PrepareOptions& options) {
    if (options.tokenizer != "char") return open_tokenizer(options.tokenizer, "");
    const std::string text = join_documents(read_documents(options.text, TextCheck::kUtf8));
    return open_tokenizer("char", options.separator.empty() ? text : text + "\n");
}

/// Parts between separators, each without white space at its ends; empty ones are left out.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator) {
    if (separator.empty()) return {text};
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const size_t end = std::min(text.find(separator), text.size());
        std::string_view part = text.substr(0, end);
        part.remove_prefix(std::min(part.find_first_not_of(" \t\r\n"), part.size()));
        part = part.substr(0, part.find_last_not_of(" \t\r\n") + 1);
        if (!part.empty()) parts.push_back(part);
        text.remove_prefix(std::min(end + separator.size(), text.size()));
    }
    return parts;
}

/// Each file; of very many, as OpenWebText has, the folder that they lie in.
std::vector<TokenSource> sources_of(const std::string& text,
                                    const std::vector<std::string>& files) {
    constexpr size_t kMostListed = 1000;
    std::vector<TokenSource> sources;
    TokenSource all{text, 0};
    for (const std::string& file : files) {
        const TokenSource source = token_source(file);
        all.bytes += source.bytes;
        if (files.size() <= kMostListed) sources.push_back(source);
    }
    if (sources.empty()) sources.push_back(all);
    return sources;
}

/// At most one a second, but for the last.
class ProgressLines {
  public:
    void say(const std::string& file, int64_t tokens, bool last) {
        const auto now = std::chrono::steady_clock::now();
        if (!last && now < next_) return;
        next_ = now + std::chrono::seconds(1);
        eprint("{}: {} tokens so far\n", file, tokens);
    }

  private:
    std::chrono::steady_clock::time_point next_{};
};

/// Removed again unless it is finished: of texts a preparation begins anew.
class PartialFile {
  public:
    PartialFile(std::string out, TokenFormat format)
        : out_(std::move(out)), stream_(out_, format, {}) {}
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;
    ~PartialFile() {
        std::error_code ignored;
        if (!finished_) std::filesystem::remove(TokenStream::partial(out_), ignored);
    }

    TokenStream& stream() { return stream_; }
    void finish() {
        stream_.finish();
        finished_ = true;
    }

  private:
    std::string out_;
    TokenStream stream_;
    bool finished_ = false;
};

}  // namespace

TokenFormat parse_token_format(const std::string& name, int64_t vocab_size) {
    if (name == "nanogpt") return TokenFormat::kNanoGpt;
    if (name == "llmc") return vocab_size <= 65536 ? TokenFormat::kLlmc16 : TokenFormat::kLlmc32;
    throw UserError(fmt::format("--format {} is unknown", name), "use nanogpt or llmc");
}

PrepareResult prepare_tokens(const PrepareOptions& options) {
    const std::vector<std::string> files = list_text_files(options.text);
    for (const std::string& file : files) check_not_source(options.out, file);
    check_not_of_study(options.out);
    const std::unique_ptr<Tokenizer> tokenizer = open_tokenizer_for(options);
    const TokenFormat format = parse_token_format(options.format, tokenizer->vocab_size());
    DocumentJoiner joiner(*tokenizer);
    PartialFile partial(options.out, format);
    TokenStream& stream = partial.stream();
    SeenTexts seen;
    PrepareResult result;
    ProgressLines progress;
    for (const std::string& file : files) {
        const Document document = read_document(file, check_for(options.tokenizer));
        for (const std::string_view part : split_at(document.text, options.separator)) {
            if (options.deduplicate && !seen.add(key_of(part))) {
                ++result.duplicates;
                continue;
            }
            result.tokens += joiner.append(stream, part, tokenizer->encode(part));
            ++result.documents;
            result.bytes += static_cast<int64_t>(part.size());
        }
        if (options.progress) progress.say(file, result.tokens, &file == &files.back());
    }
    const TokenStreamState written = stream.sync();
    write_manifest(options.out,
                   {format, written, result.documents, result.bytes, *tokenizer,
                    sources_of(options.text, files), "",
                    options.deduplicate ? std::optional(result.duplicates) : std::nullopt});
    partial.finish();
    result.vocab_size = tokenizer->vocab_size();
    result.format = name_of(format);
    result.tokenizer = tokenizer->name();
    return result;
}

}  // namespace headroom
