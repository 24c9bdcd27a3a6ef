#pragma once

#include <filesystem>
#include <memory>

#include "datasets/images/pictures.h"

namespace headroom {

/// Which part of a distributed set.
enum class PicturePart { kTrain, kTest };

/// Whether the folder has one of the files that CIFAR is distributed in.
bool is_cifar_folder(const std::filesystem::path& folder);

/// CIFAR-10 or CIFAR-100 (Krizhevsky 2009) from the binary files of its authors, mapped: CIFAR-10
/// is data_batch_1.bin, ... and test_batch.bin, records of a label and 3072 bytes; CIFAR-100 is
/// train.bin and test.bin, records of a coarse label, a fine one, which counts, and 3072 bytes. A
/// record's picture is 32 rows of 32 bytes of red, then of green, then of blue. `path`: their
/// folder, of which `part` is taken, or one of the files. Names of classes are those of
/// batches.meta.txt or fine_label_names.txt where these lie beside, else numbers. UserError for
/// missing files, sizes that are no whole records, and labels that are none.
std::unique_ptr<Pictures> open_cifar(const std::filesystem::path& path, PicturePart part);

}  // namespace headroom
