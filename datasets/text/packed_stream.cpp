#include "datasets/text/packed_stream.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/base/error.h"
#include "core/base/open_file.h"
#include "datasets/text/parquet_stream.h"

namespace headroom {
namespace {

constexpr size_t kPackedChunk = size_t{1} << 20;

[[noreturn]] void refuse_packed(const std::string& path, const char* reason) {
    throw UserError(fmt::format("{} cannot be read: {}", path, reason),
                    "it is damaged or cut off; fetch it again");
}

[[noreturn]] void refuse_offset(const std::string& path, int64_t offset) {
    throw UserError(fmt::format("{} has no byte {}", path, offset),
                    "it is not the file that was begun with");
}

/// zlib reads what is not compressed as it is.
class GzipStream : public PackedStream {
  public:
    explicit GzipStream(std::string path) : path_(std::move(path)) {
        const FileDescriptor opened = open_for_reading(path_);
        const int own = ::dup(opened.get());
        file_ = own < 0 ? nullptr : gzdopen(own, "rb");
        if (file_ == nullptr) {
            if (own >= 0) ::close(own);
            throw EnvironmentError(path_ + " cannot be opened", "free some file handles");
        }
        gzbuffer(file_, kPackedChunk);
    }
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;
    ~GzipStream() override { gzclose(file_); }

    size_t read(std::span<char> out) override {
        const int count = gzread(file_, out.data(), static_cast<unsigned>(out.size()));
        int error = Z_OK;
        const char* message = gzerror(file_, &error);
        if (count < 0 || (error != Z_OK && error != Z_STREAM_END)) refuse_packed(path_, message);
        return static_cast<size_t>(count);
    }
    void seek(int64_t offset) override {
        if (gzseek(file_, offset, SEEK_SET) != offset) refuse_offset(path_, offset);
    }

  private:
    std::string path_;
    gzFile file_ = nullptr;
};

class ZstdStream : public PackedStream {
  public:
    explicit ZstdStream(std::string path)
        : path_(std::move(path)),
          file_(open_for_reading(path_)),
          context_(ZSTD_createDStream(), &ZSTD_freeDStream),
          packed_(kPackedChunk) {
        if (!context_) throw std::bad_alloc();
        rewind();
    }

    size_t read(std::span<char> out) override {
        ZSTD_outBuffer to{out.data(), out.size(), 0};
        while (to.pos < to.size) {
            if (from_.pos == from_.size && !fill()) {
                if (!frame_ended_) refuse_packed(path_, "it ends within a frame");
                break;
            }
            const size_t rest = ZSTD_decompressStream(context_.get(), &to, &from_);
            if (ZSTD_isError(rest)) refuse_packed(path_, ZSTD_getErrorName(rest));
            frame_ended_ = rest == 0;
        }
        at_ += static_cast<int64_t>(to.pos);
        return to.pos;
    }

    void seek(int64_t offset) override {
        if (offset < at_) rewind();
        std::vector<char> skipped(kPackedChunk);
        while (at_ < offset) {
            const auto most = std::min<int64_t>(offset - at_, kPackedChunk);
            if (read(std::span(skipped).first(static_cast<size_t>(most))) == 0)
                refuse_offset(path_, offset);
        }
    }

  private:
    void rewind() {
        ZSTD_initDStream(context_.get());
        place_ = at_ = 0;
        from_ = {packed_.data(), 0, 0};
        frame_ended_ = true;
    }

    bool fill() {
        const ssize_t count = ::pread(file_.get(), packed_.data(), packed_.size(), place_);
        if (count < 0) throw EnvironmentError(path_ + " cannot be read", "look at the disk");
        place_ += count;
        from_ = {packed_.data(), static_cast<size_t>(count), 0};
        return count > 0;
    }

    std::string path_;
    FileDescriptor file_;
    std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> context_;
    std::vector<char> packed_;
    ZSTD_inBuffer from_{};
    int64_t place_ = 0;  ///< in the file, of what follows packed_
    int64_t at_ = 0;     ///< uncompressed
    bool frame_ended_ = true;
};

bool is_zstd(const std::string& path) {
    constexpr std::array<unsigned char, 4> kMagic{0x28, 0xb5, 0x2f, 0xfd};
    std::array<unsigned char, 4> first{};
    const FileDescriptor file = open_for_reading(path);
    return ::pread(file.get(), first.data(), first.size(), 0) == 4 && first == kMagic;
}

}  // namespace

std::unique_ptr<PackedStream> open_packed(const std::string& path) {
    if (is_parquet(path)) return open_parquet(path);
    if (is_zstd(path)) return std::make_unique<ZstdStream>(path);
    return std::make_unique<GzipStream>(path);
}

}  // namespace headroom
