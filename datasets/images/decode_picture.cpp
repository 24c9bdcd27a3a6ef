#include "datasets/images/decode_picture.h"

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/file.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#define STBI_NO_STDIO
#define STBI_MAX_DIMENSIONS (1 << 16)
#include <stb/stb_image.h>

namespace headroom {
namespace {

constexpr uint64_t kLargestFile = uint64_t{64} << 20;
constexpr int64_t kMostPixels = int64_t{64} << 20;
// What a byte can hold at most: deflate packs 1032 bytes into one, of 8 pixels each where a pixel
// has one bit (RFC 1951, PNG); a JPEG has a bit or more for every 8 x 8 pixels (ITU-T T.81).
constexpr int64_t kPngPixelsPerByte = 8 * 1032, kJpegPixelsPerByte = 8 * 64;

struct FreePixels {
    void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

[[noreturn]] void refuse_picture(const std::filesystem::path& path, const std::string& why) {
    throw UserError(fmt::format("picture {} {}", path.string(), why),
                    "put a PNG or JPEG file in its place, or take it away");
}

int64_t pixels_per_byte(const std::string& bytes) {
    return bytes.starts_with("\xff\xd8") ? kJpegPixelsPerByte : kPngPixelsPerByte;
}

}  // namespace

bool is_picture_name(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return extension == ".png" || extension == ".jpg" || extension == ".jpeg";
}

Picture decode_picture(const std::filesystem::path& path) {
    const std::string bytes = read_text(path, kLargestFile);
    const auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
    const int count = static_cast<int>(bytes.size());
    int width = 0, height = 0, channels = 0;
    if (stbi_info_from_memory(data, count, &width, &height, &channels) == 0)
        refuse_picture(path, "is no PNG or JPEG that can be read");
    if (width < 1 || height < 1 || int64_t{width} * height > kMostPixels)
        refuse_picture(path, fmt::format("has {} x {} pixels", width, height));
    if (int64_t{width} * height > pixels_per_byte(bytes) * int64_t{count})
        refuse_picture(path, fmt::format("says {} x {} pixels, more than its {} bytes can hold",
                                         width, height, count));
    const std::unique_ptr<stbi_uc, FreePixels> pixels(
        stbi_load_from_memory(data, count, &width, &height, &channels, 3));
    if (pixels == nullptr) {
        refuse_picture(path, fmt::format("is damaged: {}", stbi_failure_reason()));
    }
    const size_t size = static_cast<size_t>(width) * static_cast<size_t>(height) * 3;
    return {width, height, {pixels.get(), pixels.get() + size}};
}

}  // namespace headroom
