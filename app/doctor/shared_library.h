#pragma once

#include <dlfcn.h>

namespace headroom {

/// A shared library, open as long as this lives; false where it is not installed.
class SharedLibrary {
  public:
    explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}
    SharedLibrary(const SharedLibrary&) = delete;
    SharedLibrary& operator=(const SharedLibrary&) = delete;
    ~SharedLibrary() {
        if (handle_) dlclose(handle_);
    }
    explicit operator bool() const { return handle_ != nullptr; }

    template <class Function>
    Function* function(const char* name) const {
        return handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
    }

  private:
    void* handle_;
};

}  // namespace headroom
