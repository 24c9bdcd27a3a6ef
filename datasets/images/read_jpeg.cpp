#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <fmt/format.h>
#include <jerror.h>
#include <jpeglib.h>

#include "datasets/images/picture_readers.h"

namespace headroom {
namespace {

constexpr int64_t kJpegPixelsPerByte = 8 * 64;  // one bit or more for 8 x 8 of them (ITU-T T.81)
/// Of a progressive picture; each costs the time of all of its pixels and a few bytes. Encoders
/// write about ten.
constexpr int kMostScans = 200;

/// The reader of one file. libjpeg has no way to give up but to leave its functions by longjmp, so
/// what calls them makes nothing that would have to be destroyed.
class JpegFile {
  public:
    explicit JpegFile(std::string_view bytes) {
        jpeg_.err = jpeg_std_error(&errors_);
        errors_.error_exit = &on_error;
        errors_.emit_message = &on_message;
        errors_.output_message = [](j_common_ptr) {};
        jpeg_.client_data = this;
        if (!create(bytes)) throw PictureError("cannot be read without memory");
        progress_.progress_monitor = &on_progress;
        jpeg_.progress = &progress_;
    }
    ~JpegFile() { jpeg_destroy_decompress(&jpeg_); }
    JpegFile(const JpegFile&) = delete;
    JpegFile& operator=(const JpegFile&) = delete;

    /// Each false where problem() says what is wrong.
    bool read_header() {
        if (setjmp(jump_) != 0) return false;
        jpeg_read_header(&jpeg_, TRUE);
        const bool four = jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
        jpeg_.out_color_space = four ? JCS_CMYK : JCS_RGB;
        return true;
    }
    bool start() {
        if (setjmp(jump_) != 0) return false;
        jpeg_start_decompress(&jpeg_);
        return true;
    }
    /// Rows of three or four bytes a pixel, one below the other.
    bool read_rows(uint8_t* pixels) {
        if (setjmp(jump_) != 0) return false;
        while (jpeg_.output_scanline < jpeg_.output_height) {
            JSAMPROW row = pixels + size_t{jpeg_.output_scanline} * jpeg_.output_width * colors();
            jpeg_read_scanlines(&jpeg_, &row, 1);
        }
        jpeg_finish_decompress(&jpeg_);
        return true;
    }

    uint32_t width() const { return jpeg_.image_width; }
    uint32_t height() const { return jpeg_.image_height; }
    size_t colors() const { return jpeg_.out_color_space == JCS_CMYK ? 4 : 3; }
    const char* problem() const { return problem_; }

  private:
    bool create(std::string_view bytes) {
        if (setjmp(jump_) != 0) return false;
        jpeg_create_decompress(&jpeg_);
        jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
        return true;
    }
    static JpegFile& of(j_common_ptr jpeg) { return *static_cast<JpegFile*>(jpeg->client_data); }
    [[noreturn]] static void on_error(j_common_ptr jpeg) {
        jpeg->err->format_message(jpeg, of(jpeg).problem_);
        std::longjmp(of(jpeg).jump_, 1);
    }
    /// Many pictures of cameras earn a warning; one that ends early is not taken for whole.
    static void on_message(j_common_ptr jpeg, int level) {
        if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) on_error(jpeg);
    }
    static void on_progress(j_common_ptr jpeg) {
        if (reinterpret_cast<j_decompress_ptr>(jpeg)->input_scan_number <= kMostScans) return;
        std::snprintf(of(jpeg).problem_, sizeof of(jpeg).problem_, "it has more than %d scans",
                      kMostScans);
        std::longjmp(of(jpeg).jump_, 1);
    }

    jpeg_decompress_struct jpeg_{};
    jpeg_error_mgr errors_{};
    jpeg_progress_mgr progress_{};
    std::jmp_buf jump_{};
    char problem_[JMSG_LENGTH_MAX] = {};
};

/// Adobe's four colours are what of the light is left, so that all and black multiply.
void keep_three_colors(std::vector<uint8_t>& pixels) {
    const auto times = [](uint8_t a, uint8_t b) {
        return static_cast<uint8_t>((a * b + 127) / 255);
    };
    size_t to = 0;
    for (size_t from = 0; from < pixels.size(); from += 4) {
        const uint8_t black = pixels[from + 3];
        for (size_t color = 0; color < 3; ++color)
            pixels[to++] = times(pixels[from + color], black);
    }
    pixels.resize(to);
}

}  // namespace

bool is_jpeg(std::string_view bytes) {
    return bytes.starts_with("\xff\xd8\xff");
}

Picture read_jpeg(std::string_view bytes) {
    JpegFile file(bytes);
    const auto require = [&](bool done) {
        if (!done) throw PictureError(fmt::format("is damaged: {}", file.problem()));
    };
    require(file.read_header());
    require_pixels(file.width(), file.height(), kJpegPixelsPerByte, bytes.size());
    require(file.start());
    Picture picture{file.width(), file.height(), {}};
    picture.pixels.resize(file.colors() * file.width() * file.height());
    require(file.read_rows(picture.pixels.data()));
    if (file.colors() == 4) keep_three_colors(picture.pixels);
    return picture;
}

}  // namespace headroom
