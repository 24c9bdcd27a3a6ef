#include <csetjmp>
#include <cstring>
#include <string>

#include <fmt/format.h>
#include <png.h>

#include "datasets/images/picture_readers.h"

namespace headroom {
namespace {

// Deflate packs at most 1032 bytes into one (RFC 1951), of 8 pixels each where a pixel has one bit.
constexpr int64_t kPngPixelsPerByte = 8 * 1032;
constexpr size_t kSignatureBytes = 8;

/// The reader of one file. libpng leaves its functions by longjmp where something is wrong, so what
/// calls them makes nothing that would have to be destroyed.
class PngFile {
  public:
    explicit PngFile(std::string_view bytes) : rest_(bytes) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &on_error, &on_warning);
        info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw PictureError("cannot be read without memory");
        }
        png_set_read_fn(png_, this, &give_bytes);
    }
    ~PngFile() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngFile(const PngFile&) = delete;
    PngFile& operator=(const PngFile&) = delete;

    /// Each false where problem() says what is wrong.
    bool read_header() {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_read_info(png_, info_);
        png_set_expand(png_);
        png_set_strip_16(png_);
        png_set_strip_alpha(png_);
        png_set_gray_to_rgb(png_);
        passes_ = png_set_interlace_handling(png_);
        png_read_update_info(png_, info_);
        return true;
    }
    bool read_rows(uint8_t* pixels) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        for (int pass = 0; pass < passes_; ++pass)
            for (uint32_t y = 0; y < height(); ++y)
                png_read_row(png_, pixels + size_t{3} * width() * y, nullptr);
        png_read_end(png_, nullptr);
        return true;
    }

    uint32_t width() const { return png_get_image_width(png_, info_); }
    uint32_t height() const { return png_get_image_height(png_, info_); }
    size_t row_bytes() const { return png_get_rowbytes(png_, info_); }
    const char* problem() const { return problem_; }

  private:
    [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
        auto& self = *static_cast<PngFile*>(png_get_error_ptr(png));
        std::strncpy(self.problem_, message, sizeof self.problem_ - 1);
        png_longjmp(png, 1);
    }
    static void on_warning(png_structp, png_const_charp) {}
    static void give_bytes(png_structp png, png_bytep out, size_t count) {
        auto& self = *static_cast<PngFile*>(png_get_io_ptr(png));
        if (count > self.rest_.size()) png_error(png, "it ends early");
        std::memcpy(out, self.rest_.data(), count);
        self.rest_.remove_prefix(count);
    }

    std::string_view rest_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    int passes_ = 1;
    char problem_[120] = {};
};

}  // namespace

bool is_png(std::string_view bytes) {
    return bytes.size() >= kSignatureBytes &&
           png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0, kSignatureBytes) == 0;
}

Picture read_png(std::string_view bytes) {
    PngFile file(bytes);
    const auto require = [&](bool done) {
        if (!done) throw PictureError(fmt::format("is damaged: {}", file.problem()));
    };
    require(file.read_header());
    require_pixels(file.width(), file.height(), kPngPixelsPerByte, bytes.size());
    if (file.row_bytes() != size_t{3} * file.width())
        throw PictureError("is damaged: its pixels are no colours");
    Picture picture{file.width(), file.height(), {}};
    picture.pixels.resize(size_t{3} * file.width() * file.height());
    require(file.read_rows(picture.pixels.data()));
    return picture;
}

}  // namespace headroom
