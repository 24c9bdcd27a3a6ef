#include "datasets/images/resample.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Which inputs an output is made of: inputs first, first + 1, ... with these weights.
struct Reach {
    int64_t first = 0;
    std::vector<double> weights;
};

std::vector<Reach> reaches(int64_t from, int64_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double support = std::max(scale, 1.0);
    std::vector<Reach> all(static_cast<size_t>(to));
    for (int64_t i = 0; i < to; ++i) {
        const double centre = (static_cast<double>(i) + 0.5) * scale;
        const auto first = std::max<int64_t>(0, std::llround(std::floor(centre - support + 0.5)));
        const auto end = std::min<int64_t>(from, std::llround(std::floor(centre + support + 0.5)));
        Reach& reach = all[static_cast<size_t>(i)];
        reach.first = first;
        double sum = 0;
        for (int64_t j = first; j < end; ++j) {
            const double distance = (static_cast<double>(j) + 0.5 - centre) / support;
            reach.weights.push_back(std::max(0.0, 1.0 - std::abs(distance)));
            sum += reach.weights.back();
        }
        for (double& weight : reach.weights) weight /= sum;
    }
    return all;
}

/// out[row][i] = the reach of i over in[row], where neighbours lie `step` bytes apart.
struct Lines {
    const uint8_t* in;
    uint8_t* out;
    int64_t in_step, out_step;

    void make(const std::vector<Reach>& all, int64_t in_start, int64_t out_start) const {
        for (size_t i = 0; i < all.size(); ++i) {
            const Reach& reach = all[i];
            const uint8_t* from = in + in_start + reach.first * in_step;
            double sum = 0;
            for (size_t j = 0; j < reach.weights.size(); ++j)
                sum +=
                    reach.weights[j] * static_cast<double>(from[static_cast<int64_t>(j) * in_step]);
            out[out_start + static_cast<int64_t>(i) * out_step] =
                static_cast<uint8_t>(std::clamp(sum + 0.5, 0.0, 255.0));
        }
    }
};

Picture of_size(int64_t width, int64_t height) {
    return {width, height, std::vector<uint8_t>(static_cast<size_t>(3 * width * height))};
}

}  // namespace

Picture resample(const Picture& picture, int64_t width, int64_t height) {
    CHECK(width > 0 && height > 0, "a size");
    Picture wide = picture;
    if (width != picture.width) {
        wide = of_size(width, picture.height);
        const std::vector<Reach> along = reaches(picture.width, width);
        const Lines lines{picture.pixels.data(), wide.pixels.data(), 3, 3};
        for (int64_t y = 0; y < picture.height; ++y)
            for (int64_t c = 0; c < 3; ++c)
                lines.make(along, 3 * y * picture.width + c, 3 * y * width + c);
    }
    if (height == picture.height) return wide;
    Picture result = of_size(width, height);
    const std::vector<Reach> along = reaches(picture.height, height);
    const Lines lines{wide.pixels.data(), result.pixels.data(), 3 * width, 3 * width};
    for (int64_t x = 0; x < 3 * width; ++x) lines.make(along, x, x);
    return result;
}

Picture fit_square(const Picture& picture, int64_t side) {
    if (picture.width == side && picture.height == side) return picture;
    const int64_t shorter = std::min(picture.width, picture.height);
    const auto scaled = [&](int64_t length) { return std::max(side, length * side / shorter); };
    const Picture whole = resample(picture, scaled(picture.width), scaled(picture.height));
    const int64_t left = (whole.width - side) / 2, top = (whole.height - side) / 2;
    Picture square = of_size(side, side);
    for (int64_t y = 0; y < side; ++y) {
        const auto* row = whole.pixels.data() + 3 * ((top + y) * whole.width + left);
        std::copy_n(row, 3 * side, square.pixels.data() + 3 * y * side);
    }
    return square;
}

}  // namespace headroom
