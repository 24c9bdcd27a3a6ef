#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace headroom {

/// A UserError about keys of a job, for those who point at their places in a form: the key to look
/// at first ("model.n_head") stands in front of the others that take part.
class KeyError : public UserError {
  public:
    KeyError(const UserError& error, std::vector<std::string> keys)
        : UserError(error), keys_(std::move(keys)) {}

    const std::vector<std::string>& keys() const { return keys_; }

  private:
    std::vector<std::string> keys_;
};

/// What `work` complains about concerns this key, unless the complaint names keys itself.
template <class Work>
auto about_key(const char* key, Work work) {
    try {
        return work();
    } catch (const KeyError&) {
        throw;
    } catch (const UserError& error) {
        throw KeyError(error, {key});
    }
}

}  // namespace headroom
