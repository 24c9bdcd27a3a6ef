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

struct FreePixels {
    void operator()(stbi_uc* pixels) const { stbi_image_free(pixels); }
};

[[noreturn]] void refuse_picture(const std::filesystem::path& path, const std::string& why) {
    throw UserError(fmt::format("picture {} {}", path.string(), why),
                    "put a PNG or JPEG file in its place, or take it away");
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
    const std::unique_ptr<stbi_uc, FreePixels> pixels(
        stbi_load_from_memory(data, count, &width, &height, &channels, 3));
    if (pixels == nullptr) {
        refuse_picture(path, fmt::format("is damaged: {}", stbi_failure_reason()));
    }
    const size_t size = static_cast<size_t>(width) * static_cast<size_t>(height) * 3;
    return {width, height, {pixels.get(), pixels.get() + size}};
}

}  // namespace headroom
