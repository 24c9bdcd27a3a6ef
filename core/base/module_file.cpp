#include "core/base/module_file.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

ModuleFile::ModuleFile(const std::filesystem::path& file, const ModuleTexts& texts, Symbols symbols)
    : name_(file.filename().string()) {
    if (!std::filesystem::exists(file)) throw UserError(texts.absent, texts.build_it);
    library_ =
        dlopen(file.c_str(), RTLD_NOW | (symbols == Symbols::kGlobal ? RTLD_GLOBAL : RTLD_LOCAL));
    if (library_ != nullptr) return;
    const char* reason = dlerror();
    throw EnvironmentError(fmt::format("{} cannot be loaded: {}", file.string(),
                                       reason != nullptr ? reason : "no reason given"),
                           texts.install_it);
}

void* ModuleFile::symbol(const char* name) const {
    void* found = dlsym(library_, name);
    CHECK(found != nullptr, name_ + " is of another build");
    return found;
}

}  // namespace headroom
