#include "datasets/text/line_reader.h"

#include <span>

#include <fmt/format.h>

#include "core/base/error.h"
#include "datasets/text/packed_stream.h"

namespace headroom {
namespace {

constexpr size_t kChunk = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{256} << 20;

}  // namespace

LineReader::LineReader(const std::string& path) : path_(path), stream_(open_packed(path)) {}

LineReader::~LineReader() = default;

bool LineReader::fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    if (buffer_.size() > kLongestLine)
        throw UserError(fmt::format("{} has a line of more than {} bytes", path_, kLongestLine),
                        "give one JSON object a line");
    const size_t before = buffer_.size();
    buffer_.resize(before + kChunk);
    const size_t read = stream_->read(std::span(buffer_).subspan(before));
    buffer_.resize(before + read);
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
    stream_->seek(offset);
    buffer_.clear();
    at_ = 0;
    offset_ = offset;
}

}  // namespace headroom
