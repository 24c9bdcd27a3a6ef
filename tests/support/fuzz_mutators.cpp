#include <algorithm>
#include <cstring>
#include <limits>

#include <nlohmann/json.hpp>

#include "tests/support/fuzz_case.h"
#include "tests/support/hdf5_damage.h"

namespace headroom {
namespace {

using nlohmann::json;

constexpr uint64_t kLimits[] = {0,
                                1,
                                2,
                                3,
                                7,
                                0x7f,
                                0x80,
                                0xff,
                                0x7fff,
                                0xffff,
                                0x7fffffff,
                                0x80000000,
                                0xffffffff,
                                uint64_t{1} << 40,
                                uint64_t{1} << 62,
                                ~uint64_t{0} >> 1,
                                ~uint64_t{0} - 7,
                                ~uint64_t{0}};

uint64_t limit(FuzzRandom& random) {
    return kLimits[random() % std::size(kLimits)];
}

void overwrite(std::string& input, size_t at, uint64_t number, size_t bytes) {
    std::memcpy(&input[at], &number, std::min(bytes, input.size() - at));
}

json odd_value(FuzzRandom& random) {
    switch (random() % 12) {
        case 0:
            return nullptr;
        case 1:
            return random() % 2 == 0;
        case 2:
            return limit(random);
        case 3:
            return -static_cast<int64_t>(limit(random) >> 1);
        case 4:
            return std::numeric_limits<double>::max();
        case 5:
            return 5e-324;
        case 6:
            return "";
        case 7:
            return std::string(random() % 3000, 'x');
        case 8:
            return "../\x1b[31m\n";
        case 9:
            return json::array();
        case 10:
            return json::object();
        default: {
            json deep = 1;
            for (uint64_t i = random() % 100; i > 0; --i) deep = json::array({deep});
            return deep;
        }
    }
}

/// Walks down to a random place of the tree.
json& place_in(json& document, FuzzRandom& random) {
    json* at = &document;
    while (at->is_structured() && !at->empty() && random() % 4 != 0)
        at = &*std::next(at->begin(), static_cast<std::ptrdiff_t>(random() % at->size()));
    return *at;
}

}  // namespace

void mutate_bytes(std::string& input, FuzzRandom& random) {
    if (input.empty()) input = "x";
    const size_t at = random() % input.size();
    switch (random() % 7) {
        case 0:
            input[at] = static_cast<char>(input[at] ^ static_cast<char>(1 << random() % 8));
            return;
        case 1:
            input[at] = static_cast<char>(random());
            return;
        case 2:
            return overwrite(input, at, limit(random), size_t{1} << random() % 4);
        case 3:
            input.resize(at);
            return;
        case 4:
            input.erase(at, 1 + random() % 16);
            return;
        case 5:
            input.insert(at, input.substr(random() % input.size(), random() % 64));
            return;
        default:
            input.insert(at, 1, static_cast<char>(random()));
    }
}

void mutate_json(std::string& input, FuzzRandom& random) {
    json document = json::parse(input, nullptr, false);
    if (document.is_discarded() || random() % 8 == 0) return mutate_bytes(input, random);
    json& place = place_in(document, random);
    const json value = random() % 2 == 0 ? odd_value(random) : json(place_in(document, random));
    if (place.is_object() && !place.empty() && random() % 2 == 0)
        place.erase(std::next(place.begin(), static_cast<std::ptrdiff_t>(random() % place.size())));
    else if (place.is_array() && random() % 2 == 0)
        place.push_back(value);
    else
        place = value;
    input = document.dump(-1, ' ', false, json::error_handler_t::replace);
}

void mutate_hdf5(std::string& input, FuzzRandom& random) {
    if (input.size() < 48 || random() % 8 == 0) return mutate_bytes(input, random);
    const std::vector<ChecksummedBlock> blocks = checksummed_blocks(input);
    const ChecksummedBlock block = blocks[random() % blocks.size()];
    const size_t at = block.begin + random() % (block.end - block.begin);
    if (random() % 2 == 0)
        input[at] = static_cast<char>(random());
    else
        overwrite(input, at, limit(random), std::min(size_t{1} << random() % 4, block.end - at));
    mend_checksum(input, block);
}

}  // namespace headroom
