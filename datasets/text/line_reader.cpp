#include "datasets/text/line_reader.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/base/open_file.h"

namespace headroom {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{256} << 20;

}  // namespace

struct LineReader::Stream {
    gzFile file = nullptr;  // zlib reads what is not compressed as it is

    explicit Stream(const std::string& path) {
        const FileDescriptor opened = open_for_reading(path);
        const int own = ::dup(opened.get());
        file = own < 0 ? nullptr : gzdopen(own, "rb");
        if (file == nullptr) {
            if (own >= 0) ::close(own);
            throw EnvironmentError(path + " cannot be opened", "free some file handles");
        }
        gzbuffer(file, kChunk);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    ~Stream() { gzclose(file); }
};

LineReader::LineReader(const std::string& path)
    : path_(path), stream_(std::make_unique<Stream>(path)) {}

LineReader::~LineReader() = default;

bool LineReader::fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > kLongestLine)
        throw UserError(fmt::format("{} has a line of more than {} bytes", path_, kLongestLine),
                        "give one JSON object a line");
    const size_t before = buffer_.size();
    buffer_.resize(before + kChunk);
    const int read = gzread(stream_->file, buffer_.data() + before, kChunk);
    buffer_.resize(before + static_cast<size_t>(std::max(read, 0)));
    int error = Z_OK;
    const char* message = gzerror(stream_->file, &error);
    if (read < 0 || (error != Z_OK && error != Z_STREAM_END))
        throw UserError(fmt::format("{} cannot be read: {}", path_, message),
                        "it is damaged or cut off; fetch it again");
    return read > 0;
}

bool LineReader::next(std::string& line) {
    size_t end = buffer_.find('\n', at_);
    while (end == std::string::npos) {
        const size_t searched = buffer_.size() - at_;
        if (!fill()) break;
        end = buffer_.find('\n', searched);
    }
    const bool last = end == std::string::npos;
    if (last && at_ == buffer_.size()) return false;
    const size_t stop = last ? buffer_.size() : end;
    line.assign(buffer_, at_, stop - at_);
    const size_t used = (last ? stop : end + 1) - at_;
    at_ += used;
    offset_ += static_cast<int64_t>(used);
    return true;
}

void LineReader::seek(int64_t offset) {
    if (gzseek(stream_->file, offset, SEEK_SET) != offset)
        throw UserError(fmt::format("{} has no byte {}", path_, offset),
                        "it is not the file that was begun with");
    buffer_.clear();
    at_ = 0;
    offset_ = offset;
}

}  // namespace headroom
