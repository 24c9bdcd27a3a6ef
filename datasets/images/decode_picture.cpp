#include "datasets/images/decode_picture.h"

#include <algorithm>
#include <cctype>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "datasets/images/picture_readers.h"

namespace headroom {
namespace {

constexpr uint64_t kLargestFile = uint64_t{64} << 20;
constexpr int64_t kMostPixels = int64_t{64} << 20;

}  // namespace

bool is_picture_name(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

void require_pixels(int64_t width, int64_t height, int64_t most_per_byte, size_t bytes) {
    if (width < 1 || height < 1 || width > kMostPixels / height)
        throw PictureError(fmt::format("has {} x {} pixels", width, height));
    if (width * height > most_per_byte * static_cast<int64_t>(bytes))
        throw PictureError(fmt::format("says {} x {} pixels, more than its {} bytes can hold",
                                       width, height, bytes));
}

Picture decode_picture(const std::filesystem::path& path) {
    const std::string bytes = read_text(path, kLargestFile);
    try {
        if (is_png(bytes)) return read_png(bytes);
        if (is_jpeg(bytes)) return read_jpeg(bytes);
        throw PictureError("is no PNG or JPEG that can be read");
    } catch (const PictureError& error) {
        throw UserError(fmt::format("picture {} {}", path.string(), error.what()),
                        "put a PNG or JPEG file in its place, or take it away");
    }
}

}  // namespace headroom
