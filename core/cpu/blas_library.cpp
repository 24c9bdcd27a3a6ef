#include "core/cpu/blas_library.h"

#include <cstdlib>
#include <memory>

#include <dlfcn.h>

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

bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
}

std::unique_ptr<BlasLibrary> open_openblas() {
    if (has_avx512()) setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    return open_library("OpenBLAS", {"libopenblas.so.0", "libopenblas.so"});
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
