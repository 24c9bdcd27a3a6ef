#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace headroom {

using FuzzRandom = std::mt19937_64;

/// Changes an input a little. The result may be the same.
using FuzzMutator = std::function<void(std::string& input, FuzzRandom& random)>;

/// Bits, bytes, numbers at limits, cuts, repeats.
void mutate_bytes(std::string& input, FuzzRandom& random);
/// The tree of a JSON document: values at limits and of other types, keys gone or moved, nesting;
/// bytes where the input is no JSON.
void mutate_json(std::string& input, FuzzRandom& random);
/// Bytes of an HDF5 file, mostly with the checksums of its metadata made right again.
void mutate_hdf5(std::string& input, FuzzRandom& random);

/// One reader of files from outside.
struct FuzzTarget {
    std::string name;                ///< a folder of tests/corpus/, which may be missing
    std::vector<std::string> seeds;  ///< inputs beside those in that folder
    FuzzMutator mutate;
    /// Reads an input. May throw UserError or EnvironmentError; anything else, a signal and more
    /// than 20 seconds are failures.
    std::function<void(const std::string& input)> read;
};

/// Reads all inputs as they are, then mutants of them for FUZZ_SECONDS (environment), by default
/// until 5,000 are read or a second has passed, and until 20 are read, with the seed FUZZ_SEED
/// (1). An input that fails is left in fuzz-failures/NAME-SEED-NUMBER, also after a signal. Returns
/// how many were read.
int64_t run_fuzz(const FuzzTarget& target, const std::string& corpus);

}  // namespace headroom
