// The entry point of libFuzzer for one target: -DHEADROOM_FUZZ_TARGET="log".
#include <cstddef>
#include <cstdint>

#include "core/base/error.h"
#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace headroom;
    static const FuzzTarget target = [] {
        for (FuzzTarget& each : fuzz_targets())
            if (each.name == HEADROOM_FUZZ_TARGET) return each;
        throw std::runtime_error("no such target");
    }();
    try {
        target.read(std::string(reinterpret_cast<const char*>(data), size));
    } catch (const UserError&) {
    } catch (const EnvironmentError&) {
    }
    return 0;
}
