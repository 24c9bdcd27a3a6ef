#include "core/cpu/blas_library.h"

#include <cstdlib>
#include <memory>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>

#include "core/base/cpu_features.h"
#include "core/cpu/parallel.h"

namespace headroom {
namespace {

std::unique_ptr<BlasLibrary> open_library(const char* name,
                                          std::initializer_list<const char*> files) {
    for (const char* file : files) {
        void* handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) continue;
        auto library = std::make_unique<BlasLibrary>();
        library->name = name;
        library->sgemm = reinterpret_cast<BlasLibrary::Sgemm>(dlsym(handle, "cblas_sgemm"));
        library->dgemm = reinterpret_cast<BlasLibrary::Dgemm>(dlsym(handle, "cblas_dgemm"));
        library->dgesdd = reinterpret_cast<BlasLibrary::Dgesdd>(dlsym(handle, "dgesdd_"));
        return library;  // the handle stays open for the life of the program
    }
    return nullptr;
}

// The packaged versions do not know processors newer than themselves, and take them for AVX2 ones
// (OpenBLAS 0.3.21) or for none at all (BLIS 0.9). What the environment says goes first.

/// OpenBLAS maps a buffer for each thread at its first product and, where there is no room for it
/// (a limit on address space, as batch systems set), tries for ever.
bool has_room_for_openblas() {
    const size_t bytes = (static_cast<size_t>(cpu_threads()) + 1) * (size_t{128} << 20);
    void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/// Takes those buffers, which are kept, before somebody else takes the room.
void take_buffers(const BlasLibrary& library) {
    constexpr int kRowMajor = 101, kPlain = 111, n = 192;  // enough for all threads to take part
    std::vector<double> a(n * n), c(n * n);
    if (library.dgemm != nullptr)
        library.dgemm(kRowMajor, kPlain, kPlain, n, n, n, 1.0, a.data(), n, a.data(), n, 0.0,
                      c.data(), n);
}

/// None without room: the plain loops take its place.
std::unique_ptr<BlasLibrary> open_openblas() {
    if (!has_room_for_openblas()) return nullptr;
    if (has_avx512()) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    auto library = open_library("OpenBLAS", {"libopenblas.so.0", "libopenblas.so"});
    if (library) take_buffers(*library);
    return library;
}

std::unique_ptr<BlasLibrary> open_blis() {
    if (has_avx512()) setenv("BLIS_ARCH_TYPE", "skx", 0);
    // Without it, BLIS uses one thread.
    setenv("BLIS_NUM_THREADS", std::to_string(cpu_threads()).c_str(), 0);
    return open_library("BLIS", {"libblis.so.4", "libblis.so.3", "libblis.so"});
}

}  // namespace

const BlasLibrary* openblas() {
    static const std::unique_ptr<BlasLibrary> library = open_openblas();
    return library.get();
}

const BlasLibrary* blis() {
    static const std::unique_ptr<BlasLibrary> library = open_blis();
    return library.get();
}

}  // namespace headroom
