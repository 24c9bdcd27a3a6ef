#pragma once

#include <filesystem>
#include <string>

namespace headroom {

/// What is said where a module is not at hand.
struct ModuleTexts {
    std::string absent, build_it;  ///< it was not built: what is wrong; how to mend it
    std::string install_it;        ///< it cannot be loaded: how to mend it
};

/// A part of the program in a file of its own beside it, such as headroom-cuda.so: the libraries
/// that it links are needed only where it is. Once loaded it stays.
class ModuleFile {
  public:
    enum class Symbols {
        kOwn,
        kGlobal,  ///< libraries that it loads find its symbols
    };

    /// UserError if there is no such file; EnvironmentError, with the reason, if it cannot be
    /// loaded.
    ModuleFile(const std::filesystem::path& file, const ModuleTexts& texts,
               Symbols symbols = Symbols::kOwn);

    /// The function of that name, e.g. function<Device*()>("headroom_open_cuda_device").
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(symbol(name));
    }

  private:
    void* symbol(const char* name) const;

    std::string name_;
    void* library_;
};

}  // namespace headroom
