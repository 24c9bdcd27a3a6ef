#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/weights/interop/layout.h"

namespace headroom {

/// The tensors of a set under their bare names.
class BareTensors {
  public:
    /// UserError if two tensors have the same bare name.
    BareTensors(const Layout& layout, const TensorSet& set);

    const TensorSet& set() const { return *set_; }
    /// By bare name; the values are the names in the file.
    const std::map<std::string, std::string, std::less<>>& all() const { return names_; }
    /// The name in the file; nullptr if there is no such tensor.
    const std::string* find(std::string_view bare) const;

  private:
    const TensorSet* set_;
    std::map<std::string, std::string, std::less<>> names_;
};

/// Without a configuration: what the names tell of the kind of model, such as whether there are
/// biases and a head of its own. `notes` says what is assumed about the rest.
void infer_kind(const Layout& layout, const BareTensors& tensors, Translation& translation,
                std::vector<std::string>& notes);

/// Whether there are biases, as the names tell.
void infer_biases(const Layout& layout, const BareTensors& tensors, Translation& translation);

/// Fills in the sizes that are missing and that the shapes tell. UserError naming the --set that is
/// needed where nothing tells, such as the number of heads.
void infer_sizes(const Layout& layout, const BareTensors& tensors, Translation& translation,
                 std::vector<std::string>& notes);

}  // namespace headroom
