#include "cuda/decode/segment_table.h"

#include "cuda/primitives/aligned_vector.h"

namespace headroom::cuda {
namespace {

SegmentAt place(const CacheSegment& s, const Tensor& cache) {
    const Shape& shape = cache.type.shape;
    const int64_t of_head = shape[2] * shape[3];
    const auto size = static_cast<int64_t>(size_of(cache.type.dtype));
    return {cache.as<const std::byte>() + (s.head * of_head + s.first) * size,
            shape[1] * of_head,
            shape[3],
            static_cast<int32_t>(s.width),
            static_cast<int32_t>(s.at),
            {s.constant, s.slope}};
}

bool reads_in_vectors(const SegmentAt& s, int64_t size) {
    const bool at_whole_vectors = s.at * size % kPackBytes == 0;
    const bool aligned = reinterpret_cast<uintptr_t>(s.data) % kPackBytes == 0;
    return at_whole_vectors && aligned && s.width * size % kPackBytes == 0 &&
           s.stride * size % kPackBytes == 0 && s.sequence * size % kPackBytes == 0;
}

}  // namespace

bool SegmentList::all_vectors() const {
    return std::all_of(heads.begin(), heads.end(),
                       [](const HeadSegments& head) { return head.vectors; });
}

SegmentList list_segments(const std::vector<std::vector<CacheSegment>>& heads, int64_t met_width,
                          std::span<const Tensor> inputs) {
    SegmentList list;
    for (const std::vector<CacheSegment>& head : heads) {
        HeadSegments of_head{static_cast<int32_t>(list.segments.size()), 0, true};
        for (const CacheSegment& s : head) {
            const Tensor& cache = inputs[static_cast<size_t>(1 + s.cache)];
            const auto size = static_cast<int64_t>(size_of(cache.type.dtype));
            list.segments.push_back(place(s, cache));
            of_head.vectors = of_head.vectors && met_width * size % kPackBytes == 0 &&
                              reads_in_vectors(list.segments.back(), size);
        }
        of_head.vectors = of_head.vectors && !head.empty();
        of_head.end = static_cast<int32_t>(list.segments.size());
        list.heads.push_back(of_head);
    }
    return list;
}

bool values_are_keys(const CachedAttentionOptions& o) {
    for (size_t g = 0; g < o.keys.size(); ++g) {
        for (const CacheSegment& value : o.values[g])
            if (std::count(o.keys[g].begin(), o.keys[g].end(), value) != 1) return false;
        for (const CacheSegment& key : o.keys[g])
            if (key.at < o.out_width &&
                std::count(o.values[g].begin(), o.values[g].end(), key) != 1)
                return false;
    }
    return true;
}

}  // namespace headroom::cuda
