#include "datasets/formats/stored_tokens.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/mmap_file.h"
#include "core/base/printable.h"
#include "core/log/integer_array.h"
#include "datasets/formats/token_file.h"

namespace headroom {
namespace {

constexpr char kVocab[] = "vocab", kDataset[] = "dataset", kDefault[] = "tokens";

std::string names_of(const std::vector<IntegerArray>& arrays) {
    constexpr size_t kMostShown = 8;
    std::string names;
    for (size_t i = 0; i < std::min(arrays.size(), kMostShown); ++i)
        names += (i == 0 ? "" : ", ") + printable(arrays[i].name, 60);
    return arrays.size() > kMostShown ? names + ", ..." : names;
}

/// The array that the spec names, else the one called "tokens", else the only one.
IntegerArray chosen(const DataSpec& spec, const std::vector<IntegerArray>& arrays) {
    if (arrays.empty())
        throw UserError(fmt::format("{} holds no array of integers", spec.name),
                        "token ids are integers in one or two dimensions");
    const auto named = spec.options.find(kDataset);
    std::string wanted = named == spec.options.end() ? kDefault : named->second;
    wanted.erase(0, wanted.find_first_not_of('/'));
    for (const IntegerArray& array : arrays)
        if (array.name == wanted) return array;
    const std::string mend = fmt::format("write ?dataset= and one of {}", names_of(arrays));
    if (named != spec.options.end())
        throw UserError(
            fmt::format("{} has no array of integers {}", spec.name, printable(wanted, 60)), mend);
    if (arrays.size() > 1)
        throw UserError(fmt::format("{} holds {} arrays of integers", spec.name, arrays.size()),
                        mend);
    return arrays.front();
}

TokenArray open_hdf5_tokens(const DataSpec& spec) {
    const IntegerArray array = chosen(spec, integer_arrays_of(spec.name));
    if (array.offset < 0) return TokenArray::from_ids(read_integers(spec.name, array.name));
    const auto file = std::make_shared<const MmapFile>(MmapFile::open(spec.name));
    const std::span<const std::byte> bytes = file->bytes();
    const auto size = static_cast<int64_t>(bytes.size());
    if (array.offset > size || array.count > (size - array.offset) / array.width)
        throw UserError(fmt::format("{} is cut off: {} lies beyond its end", spec.name,
                                    printable(array.name, 60)),
                        "copy it again");
    return TokenArray::view(file,
                            reinterpret_cast<const unsigned char*>(bytes.data()) + array.offset,
                            array.width, array.count);
}

}  // namespace

TokenArray open_stored_tokens(const DataSpec& spec) {
    CHECK(info_of(spec.kind).holds_ids, "a spec of token ids");
    return spec.kind == DataSpec::Kind::kHdf5 ? open_hdf5_tokens(spec)
                                              : open_token_file(spec.name).tokens;
}

std::string label_of(const DataSpec& spec) {
    const auto named = spec.options.find(kDataset);
    return named == spec.options.end()
               ? spec.name
               : fmt::format("{} of {}", printable(named->second, 60), spec.name);
}

std::optional<TokenOrigin> origin_of(const DataSpec& spec, int64_t count) {
    if (spec.kind != DataSpec::Kind::kTokens) return {};
    return read_token_origin(spec.name, count);
}

int64_t declared_vocabulary(const DataSpec& spec, const std::string& key) {
    const bool is_hdf5 = spec.kind == DataSpec::Kind::kHdf5;
    int64_t declared = 0;
    for (const auto& [name, value] : spec.options) {
        if (is_hdf5 && name == kDataset && !value.empty()) continue;
        const auto [rest, error] =
            std::from_chars(value.data(), value.data() + value.size(), declared);
        const bool whole = error == std::errc() && rest == value.data() + value.size();
        if (name != kVocab || !whole || declared < 1 || declared > (int64_t{1} << 31))
            throw UserError(
                fmt::format("{}: \"{}\" has the bad option {}={}", key, spec.text, name, value),
                is_hdf5 ? "the options of hdf5: are dataset=NAME, and vocab=N with N above 0"
                        : "the one option of tokens: is vocab=N with N above 0");
    }
    return declared;
}

}  // namespace headroom
