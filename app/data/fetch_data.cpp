#include "app/data/fetch_data.h"

#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/program_files.h"
#include "app/tool.h"
#include "core/base/error.h"
#include "core/base/file.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Unpack = SourceFile::Unpack;

constexpr std::chrono::seconds kBetweenLines(10);

int64_t size_of_file(const fs::path& path) {
    std::error_code none;
    const uintmax_t bytes = fs::file_size(path, none);
    return none ? 0 : static_cast<int64_t>(bytes);
}

std::string megabytes(int64_t bytes) {
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

/// "cifar-10-binary.tar.gz (170052171 bytes, SHA-256 c4a3...)", as far as it is recorded.
std::string described(const SourceFile& file) {
    std::string facts;
    if (file.bytes > 0) facts = fmt::format("{} bytes", file.bytes);
    if (!file.sha256.empty())
        facts += fmt::format("{}SHA-256 {}", facts.empty() ? "" : ", ", file.sha256);
    return facts.empty() ? file.name : fmt::format("{} ({})", file.name, facts);
}

/// What is being unpacked; gone with the object.
class UnpackFolder {
  public:
    explicit UnpackFolder(fs::path path) : path_(std::move(path)) {
        fs::remove_all(path_);
        make_folder(path_);
    }
    UnpackFolder(const UnpackFolder&) = delete;
    UnpackFolder& operator=(const UnpackFolder&) = delete;
    ~UnpackFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    const fs::path& path() const { return path_; }

  private:
    fs::path path_;
};

class Fetch {
  public:
    Fetch(const SourceSet& set, const fs::path& folder, const FetchHooks& hooks)
        : set_(set), folder_(folder), hooks_(hooks) {}

    void run() {
        make_folder(folder_);
        for (const SourceFile& file : set_.files) {
            if (file.unpack != Unpack::kNo && fs::is_directory(folder_ / file.gives)) {
                say(fmt::format("{} is there", (folder_ / file.gives).string()));
                continue;
            }
            if (!is_there(file)) load(file);
            if (file.unpack != Unpack::kNo) unpack(file);
        }
    }

  private:
    void say(const std::string& line) const {
        if (hooks_.say) hooks_.say(line);
    }
    fs::path path_of(const SourceFile& file) const { return folder_ / file.name; }
    fs::path part_of(const SourceFile& file) const { return path_of(file).string() + ".part"; }

    void check_stop() const {
        if (hooks_.stop && hooks_.stop())
            throw EnvironmentError("stopped", "the same command goes on from here");
    }

    std::string sha256_of(const fs::path& path) const {
        const ToolOutcome told = run_tool(find_tool("sha256sum", "coreutils"),
                                          {"--binary", "--", path.string()}, [&] { check_stop(); });
        // A name with a backslash or line end is told behind a backslash.
        const size_t start = told.last_line.starts_with('\\') ? 1 : 0;
        if (told.status != 0 || told.last_line.size() < start + 64)
            throw EnvironmentError(path.string() + " cannot be read: " + told.last_line);
        return told.last_line.substr(start, 64);
    }

    /// Why this is not the recorded file; "" if it is.
    std::string mismatch(const SourceFile& file, const fs::path& path) const {
        if (const int64_t bytes = size_of_file(path); file.bytes > 0 && bytes != file.bytes)
            return fmt::format("has {} bytes and not {}", bytes, file.bytes);
        const std::string sha256 = sha256_of(path);
        if (file.sha256.empty())
            say(fmt::format("{}: no checksum is recorded to compare with; SHA-256 {}", file.name,
                            sha256));
        else if (sha256 != file.sha256)
            return fmt::format("has SHA-256 {} and not {}", sha256, file.sha256);
        return "";
    }

    bool is_there(const SourceFile& file) const {
        std::error_code none;
        if (!fs::exists(path_of(file), none)) return false;
        const std::string problem = mismatch(file, path_of(file));
        if (!problem.empty())
            throw UserError(fmt::format("{} {}", path_of(file).string(), problem),
                            "it is another file: take it away, or name another folder");
        say(fmt::format("{} is there", path_of(file).string()));
        return true;
    }

    void load(const SourceFile& file) const {
        if (file.bytes == 0 || size_of_file(part_of(file)) != file.bytes) download(file);
        const std::string problem = mismatch(file, part_of(file));
        if (!problem.empty()) {
            fs::remove(part_of(file));
            throw UserError(
                fmt::format("what came from {} {}", file.url, problem),
                "it was taken away again: the address gives another file now; " + by_hand(file));
        }
        fs::rename(part_of(file), path_of(file));
    }

    void download(const SourceFile& file) const {
        ToolOutcome told;
        say(fmt::format("loading {}", file.url));
        try {
            told = run_tool(
                find_tool("curl", "curl"),
                {"--fail", "--location", "--silent", "--show-error", "--proto", "=https,file",
                 "--proto-redir", "=https", "--connect-timeout", "30", "--retry", "3",
                 "--continue-at", "-", "--output", part_of(file).string(), "--url", file.url},
                [&] { watch(file); });
        } catch (const EnvironmentError& error) {
            if (hooks_.stop && hooks_.stop()) throw;
            throw EnvironmentError(error.what(), by_hand(file));
        }
        if (told.status != 0)
            throw EnvironmentError(fmt::format("{} cannot be loaded: {}", file.url, told.last_line),
                                   by_hand(file));
    }

    /// What a person without a network does.
    std::string by_hand(const SourceFile& file) const {
        return fmt::format("put {} into {}, from {} or {}, and give the same command again",
                           described(file), folder_.string(), file.url, set_.page);
    }

    void watch(const SourceFile& file) const {
        check_stop();
        if (Clock::now() < next_line_) return;
        next_line_ = Clock::now() + kBetweenLines;
        const int64_t bytes = size_of_file(part_of(file));
        if (bytes > 0)
            say(file.bytes > 0 ? fmt::format("{}: {} of {}", file.name, megabytes(bytes),
                                             megabytes(file.bytes))
                               : fmt::format("{}: {}", file.name, megabytes(bytes)));
    }

    /// In a folder of its own, so that half an archive is never taken for the whole.
    void unpack(const SourceFile& file) const {
        const UnpackFolder unpacked(folder_ / (file.gives + ".part"));
        const fs::path& half = unpacked.path();
        say(fmt::format("unpacking {}", file.name));
        const std::string archive = path_of(file).string();
        const bool tar = file.unpack == Unpack::kTar;
        const ToolOutcome told =
            tar ? run_tool(find_tool("tar", "tar"),
                           {"--extract", "--no-same-owner", "--no-same-permissions", "--file",
                            archive, "--directory", half.string()},
                           [&] { check_stop(); })
                : run_tool(find_tool("unzip", "unzip"), {"-q", "-o", archive, "-d", half.string()},
                           [&] { check_stop(); });
        if (told.status != 0)
            throw EnvironmentError(
                fmt::format("{} cannot be unpacked: {}", archive, told.last_line));
        if (!fs::is_directory(half / file.gives) || fs::is_symlink(half / file.gives))
            throw UserError(fmt::format("{} holds no folder {}", archive, file.gives),
                            "it is another archive: take it away");
        fs::rename(half / file.gives, folder_ / file.gives);
    }

    const SourceSet& set_;
    const fs::path& folder_;
    const FetchHooks& hooks_;
    mutable Clock::time_point next_line_ = Clock::now() + kBetweenLines;
};

}  // namespace

fs::path source_sets_file() {
    return resource("data") / "sources.json";
}

void fetch_data(const SourceSet& set, const fs::path& folder, const FetchHooks& hooks) {
    Fetch(set, folder, hooks).run();
}

}  // namespace headroom
