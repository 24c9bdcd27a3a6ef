#include "panels/inspector/difference_source.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

static std::string read_text_of(const MapInfo& info) {
    std::string text;
    for (const std::string& piece : info.tokens) text += piece;
    return text;
}

/// Whether one begins with the other: the longer one was cut later.
template <class Sequence>
static bool begin_alike(const Sequence& a, const Sequence& b) {
    const size_t size = std::min(a.size(), b.size());
    return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size), b.begin());
}

/// One text as two rows of tokens.
static bool have_other_tokenizers(const MapInfo& a, const MapInfo& b) {
    if (a.of_image() || b.of_image() || begin_alike(a.ids, b.ids)) return false;
    const std::string text_a = read_text_of(a), text_b = read_text_of(b);
    return !text_a.empty() && !text_b.empty() && begin_alike(text_a, text_b);
}

/// Why what they read is not the same; "" where it is.
static std::string why_other_tokens(const MapInfo& a, const MapInfo& b) {
    if (have_other_tokenizers(a, b))
        return fmt::format(
            "{} and {} read the same text as different tokens, as their tokenizers differ; "
            "compare runs of one tokenizer",
            a.title, b.title);
    if (a.seq_len != b.seq_len)
        return fmt::format("{} has {} tokens and {} has {}; probe both on the same text", a.title,
                           a.seq_len, b.title, b.seq_len);
    if (a.ids != b.ids)
        return fmt::format("{} and {} were probed on different tokens; probe both on the same text",
                           a.title, b.title);
    // Positions of images read alike whatever the picture.
    if (a.picture.picture && b.picture.picture && *a.picture.picture != *b.picture.picture)
        return fmt::format(
            "{} and {} were probed on different pictures; probe both on the same "
            "data",
            a.title, b.title);
    return "";
}

bool have_same_tokens(const MapInfo& a, const MapInfo& b) {
    return why_other_tokens(a, b).empty();
}

std::string why_not_comparable(const MapInfo& a, const MapInfo& b) {
    if (std::string problem = why_other_tokens(a, b); !problem.empty()) return problem;
    if (a.causal != b.causal)
        return fmt::format("only one of {} and {} has a causal mask", a.title, b.title);
    return "";
}

DifferenceSource::DifferenceSource(MapSourcePointer a, MapSourcePointer b)
    : a_(std::move(a)), b_(std::move(b)), info_(a_->info()) {
    const MapInfo& other = b_->info();
    CHECK(why_not_comparable(info_, other).empty(), "maps of different tokens");
    info_.title = other.title + " − " + info_.title;
    info_.n_layer = std::min(info_.n_layer, other.n_layer);
    info_.n_head = std::min(info_.n_head, other.n_head);
    info_.has_logits = info_.has_logits && other.has_logits;
    info_.differs = true;
    // Under a difference lies a picture only if both are known to be of it.
    if (!other.picture.picture) info_.picture = other.picture;
}

std::vector<int64_t> DifferenceSource::factors(const MapPlane& plane) const {
    MapPlane mean = plane;
    mean.value = CellValue::kMean;
    const std::vector<int64_t> of_a = a_->factors(mean), of_b = b_->factors(mean);
    std::vector<int64_t> both;
    std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                          std::back_inserter(both));
    return both;
}

void DifferenceSource::read(const MapPlane& plane, int64_t factor, const CellBox& box,
                            std::span<float> out) const {
    MapPlane mean = plane;
    mean.value = CellValue::kMean;
    b_->read(mean, factor, box, out);
    std::vector<float> subtrahend(out.size());
    a_->read(mean, factor, box, subtrahend);
    for (size_t i = 0; i < out.size(); ++i) out[i] -= subtrahend[i];
}

}  // namespace headroom
