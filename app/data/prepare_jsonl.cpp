#include "app/data/prepare_jsonl.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data/document_joiner.h"
#include "app/eprint.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/study/run_folder.h"
#include "datasets/formats/token_manifest.h"
#include "datasets/formats/token_stream.h"
#include "datasets/text/line_reader.h"
#include "datasets/text/seen_texts.h"
#include "datasets/text/seen_texts_file.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kBatchLines = 4096, kBatchBytes = size_t{8} << 20;
constexpr int64_t kBytesBetweenStates = int64_t{64} << 20;

/// How far the work is; all of it is in the state file.
struct Progress {
    size_t file = 0;     ///< that is being read
    int64_t offset = 0;  ///< of its next line
    int64_t line = 0;    ///< lines of it before that
    int64_t documents = 0, bytes = 0, duplicates = 0;
    TokenStreamState stream;
    bool line_is_open = false;  ///< see DocumentJoiner
};

/// Lines of one file that are cut into tokens together.
struct Batch {
    std::vector<std::string> lines;  ///< read_text() makes them the texts
    int64_t first_line = 0;          ///< counted from 1
    std::vector<char> has_text;      ///< not for a blank line, nor for a duplicate
    std::vector<TextKey> keys;       ///< if duplicates are looked for
    std::vector<std::vector<int32_t>> ids;
};

class JsonlPreparation {
  public:
    explicit JsonlPreparation(const JsonlOptions& options) : options_(options) {
        const auto cores = std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 8);
        const int64_t threads = options.threads > 0 ? options.threads : cores;
        for (int64_t i = 0; i < threads; ++i)
            tokenizers_.push_back(open_tokenizer(options.tokenizer, ""));
        format_ = parse_token_format(options.format, tokenizer().vocab_size());
        for (const std::string& file : options.files) {
            check_not_source(options.out, file);
            sources_.push_back(token_source(file));
        }
        check_not_of_study(options.out);
        load_state();
    }

    PrepareResult run() {
        TokenStream stream(options_.out, format_, progress_.stream);
        try {
            return write(stream);
        } catch (...) {
            remove_useless();
            throw;
        }
    }

  private:
    /// What no state goes on from is of no use to anybody.
    void remove_useless() const {
        std::error_code ignored;
        if (fs::exists(state_file(), ignored)) return;
        fs::remove(TokenStream::partial(options_.out), ignored);
        fs::remove(seen_path(), ignored);
    }

    PrepareResult write(TokenStream& stream) {
        if (options_.deduplicate) open_seen();
        joiner_.emplace(tokenizer(), progress_.line_is_open);
        if (progress_.documents > 0) eprint("going on behind {} documents\n", progress_.documents);
        for (; progress_.file < options_.files.size(); ++progress_.file) {
            read_file(stream);
            progress_.offset = progress_.line = 0;
        }
        const TokenStreamState last = stream.sync();
        if (progress_.documents == 0)
            throw UserError("the files have no documents", "give files with a JSON object a line");
        if (progress_.bytes == 0)
            throw UserError("the documents have no text", "give some that have");
        write_manifest(options_.out,
                       {format_, last, progress_.documents, progress_.bytes, tokenizer(), sources_,
                        options_.field,
                        options_.deduplicate ? std::optional(progress_.duplicates) : std::nullopt});
        stream.finish();
        std::error_code ignored;
        fs::remove(state_file(), ignored);
        fs::remove(seen_path(), ignored);
        return {progress_.documents,      progress_.bytes,  last.tokens,
                tokenizer().vocab_size(), name_of(format_), tokenizer().name(),
                progress_.duplicates};
    }

    const Tokenizer& tokenizer() const { return *tokenizers_.front(); }
    fs::path state_file() const {
        return TokenStream::partial(options_.out).string() + ".state.json";
    }

    fs::path seen_path() const { return TokenStream::partial(options_.out).string() + ".seen"; }

    /// What a state must have been made with to be gone on from.
    json settings() const {
        json sources = json::array();
        for (const TokenSource& source : sources_)
            sources.push_back({{"path", source.path}, {"bytes", source.bytes}});
        json made{{"sources", sources},
                  {"field", options_.field},
                  {"tokenizer", tokenizer().to_json()},
                  {"format", name_of(format_)}};
        if (options_.deduplicate) made["deduplicate"] = true;
        return made;
    }

    void open_seen() {
        seen_file_.emplace(seen_path());
        if (!seen_file_->read(progress_.documents, seen_))
            refuse_state("has lost its list of documents");
    }

    void load_state() {
        std::error_code ignored;
        if (!fs::exists(state_file(), ignored)) return;
        const json state = load_json(state_file());
        const auto number = [&](const char* key) {
            const json value = state.is_object() ? state.value(key, json()) : json();
            if (!value.is_number_unsigned() || value.get<uint64_t>() >> 63 != 0)
                refuse_state("is damaged");
            return value.get<int64_t>();
        };
        if (!state.is_object() || state.value("settings", json()) != settings())
            refuse_state("was begun with other sources or options");
        progress_ = {static_cast<size_t>(number("file")),
                     number("offset"),
                     number("line"),
                     number("documents"),
                     number("bytes"),
                     options_.deduplicate ? number("duplicates") : 0,
                     {number("tokens"), 0},
                     state.value("line_is_open", json()) == json(true)};
        const json checksum = state.value("checksum", json());
        if (!checksum.is_number_unsigned() || progress_.file > options_.files.size())
            refuse_state("is damaged");
        progress_.stream.checksum = checksum.get<uint64_t>();
        kept_at_ = progress_.bytes;
    }

    [[noreturn]] void refuse_state(const char* what) const {
        throw UserError(fmt::format("{} {}", state_file().string(), what),
                        "delete it to begin anew, or give what it was begun with");
    }

    void keep_state(TokenStream& stream) {
        progress_.stream = stream.sync();
        keep_seen();
        progress_.line_is_open = joiner_->line_is_open();
        const json state = {{"settings", settings()},
                            {"file", progress_.file},
                            {"offset", progress_.offset},
                            {"line", progress_.line},
                            {"documents", progress_.documents},
                            {"bytes", progress_.bytes},
                            {"duplicates", progress_.duplicates},
                            {"tokens", progress_.stream.tokens},
                            {"line_is_open", progress_.line_is_open},
                            {"checksum", progress_.stream.checksum}};
        write_file_atomically(state_file(), dump_text(state));
        kept_at_ = progress_.bytes;
        eprint("{}: {} documents, {} tokens\n", options_.files[progress_.file], progress_.documents,
               progress_.stream.tokens);
    }

    void read_file(TokenStream& stream) {
        LineReader lines(options_.files[progress_.file]);
        if (progress_.offset > 0) lines.seek(progress_.offset);
        for (Batch batch = read_batch(lines); !batch.lines.empty(); batch = read_batch(lines)) {
            each_line(batch, [&](size_t i, const Tokenizer&) { read_text(batch, i); });
            if (options_.deduplicate) drop_duplicates(batch);
            each_line(batch, [&](size_t i, const Tokenizer& tokenizer) {
                if (batch.has_text[i] != 0) batch.ids[i] = tokenizer.encode(batch.lines[i]);
            });
            for (size_t i = 0; i < batch.lines.size(); ++i) {
                if (batch.has_text[i] == 0) continue;
                joiner_->append(stream, batch.lines[i], batch.ids[i]);
                ++progress_.documents;
                progress_.bytes += static_cast<int64_t>(batch.lines[i].size());
            }
            progress_.line += static_cast<int64_t>(batch.lines.size());
            progress_.offset = lines.offset();
            if (progress_.bytes - kept_at_ >= kBytesBetweenStates) keep_state(stream);
        }
    }

    Batch read_batch(LineReader& lines) const {
        Batch batch;
        batch.first_line = progress_.line + 1;
        size_t bytes = 0;
        std::string line;
        while (batch.lines.size() < kBatchLines && bytes < kBatchBytes && lines.next(line)) {
            bytes += line.size();
            batch.lines.push_back(std::move(line));
        }
        batch.ids.resize(batch.lines.size());
        batch.has_text.resize(batch.lines.size(), 0);
        batch.keys.resize(options_.deduplicate ? batch.lines.size() : 0);
        return batch;
    }

    /// Every thread takes each n-th line, with a tokenizer and so a cache of its own. Of several
    /// bad lines the first is reported.
    void each_line(const Batch& batch,
                   const std::function<void(size_t i, const Tokenizer&)>& use) const {
        const size_t count = tokenizers_.size();
        std::vector<std::pair<size_t, std::exception_ptr>> errors(count, {batch.lines.size(), {}});
        std::vector<std::jthread> threads;  // joined also where one of them cannot begin
        const auto work = [&](size_t first) {
            for (size_t i = first; i < batch.lines.size(); i += count) try {
                    use(i, *tokenizers_[first]);
                } catch (...) {
                    errors[first] = {i, std::current_exception()};
                    return;
                }
        };
        for (size_t first = 1; first < count; ++first) threads.emplace_back(work, first);
        work(0);
        threads.clear();
        const auto first =
            std::min_element(errors.begin(), errors.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
        if (first->second) std::rethrow_exception(first->second);
    }

    /// Puts the text of a line in its place.
    void read_text(Batch& batch, size_t i) const {
        std::string& line = batch.lines[i];
        if (line.find_first_not_of(" \t\r") == std::string::npos) return;
        const std::string where = fmt::format("{}, line {}", options_.files[progress_.file],
                                              batch.first_line + static_cast<int64_t>(i));
        json object = parse_json(line, where);
        json text = object.is_object() ? object.value(options_.field, json()) : json();
        if (!text.is_string())
            throw UserError(fmt::format("{}: there is no text at \"{}\"", where, options_.field),
                            "name the key of the text with --field");
        line = std::move(text.get_ref<std::string&>());
        batch.has_text[i] = 1;
        if (options_.deduplicate) batch.keys[i] = key_of(line);
    }

    void drop_duplicates(Batch& batch) {
        for (size_t i = 0; i < batch.lines.size(); ++i) {
            if (batch.has_text[i] == 0) continue;
            if (seen_.add(batch.keys[i])) {
                new_keys_.push_back(batch.keys[i]);
                continue;
            }
            batch.has_text[i] = 0;
            ++progress_.duplicates;
        }
    }

    /// Behind those of the last state. REQUIRES: the documents of new_keys_ are the last ones.
    void keep_seen() {
        if (!seen_file_) return;
        seen_file_->write(progress_.documents - static_cast<int64_t>(new_keys_.size()), new_keys_);
        new_keys_.clear();
    }

    const JsonlOptions& options_;
    std::vector<std::unique_ptr<Tokenizer>> tokenizers_;  ///< one for each thread
    TokenFormat format_ = TokenFormat::kNanoGpt;
    std::optional<DocumentJoiner> joiner_;
    std::vector<TokenSource> sources_;
    Progress progress_;
    int64_t kept_at_ = 0;  ///< bytes of text before the last state, in all files
    SeenTexts seen_;
    std::vector<TextKey> new_keys_;  ///< since the last state
    std::optional<SeenTextsFile> seen_file_;
};

}  // namespace

PrepareResult prepare_jsonl(const JsonlOptions& options) {
    if (options.tokenizer == "char")
        throw UserError("char would have to read all of the text first",
                        "name another tokenizer for --jsonl");
    return JsonlPreparation(options).run();
}

}  // namespace headroom
