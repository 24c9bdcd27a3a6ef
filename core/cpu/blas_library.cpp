#include "core/cpu/blas_library.h"

#include <cstdlib>
#include <memory>

#include <dlfcn.h>

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
        return library;  // the handle stays open for the life of the program
    }
    return nullptr;
}

std::unique_ptr<BlasLibrary> open_openblas() {
    // OpenBLAS 0.3.21 takes processors that it does not know for AVX2 ones.
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
        setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
    return open_library("OpenBLAS", {"libopenblas.so.0", "libopenblas.so"});
}

}  // namespace

const BlasLibrary* openblas() {
    static const std::unique_ptr<BlasLibrary> library = open_openblas();
    return library.get();
}

const BlasLibrary* blis() {
    static const std::unique_ptr<BlasLibrary> library =
        open_library("BLIS", {"libblis.so.4", "libblis.so.3", "libblis.so"});
    return library.get();
}

}  // namespace headroom
