#include "core/config/preset_list.h"

namespace headroom {
namespace {

constexpr char kPictures[] = "Images";
constexpr char kHere[] = "sizes chosen for this program";
constexpr char kAppendixC6[] = "Wu et al., appendix C.6";

}  // namespace

std::vector<Preset> image_presets() {
    return {
        {"demo-vit", "4 layers of width 128 on patches of 4 pixels; trains in minutes", kHere,
         kPictures,
         R"({"input": "images", "n_layer": 4, "n_head": 4, "d_model": 128, "bias": true})"},
        {"vit-tiny", "ViT-Tiny on images of 32 pixels, 64 patches", kAppendixC6, kPictures,
         R"({"input": "images", "n_layer": 12, "n_head": 3, "d_model": 192, "bias": true})"},
        {"vit-tiny-skipv1", "its SkipV1Former: of 3 value heads one from the first layer",
         kAppendixC6, kPictures,
         R"({"input": "images", "arch": "skipv1", "n_layer": 12, "n_head": 3, "d_model": 192,
             "bias": true})"},
        {"vit-tiny-224", "ViT-Tiny on images of 224 pixels, 196 patches: the published count",
         kAppendixC6, kPictures,
         R"({"input": "images", "image_size": 224, "patch_size": 16, "n_layer": 12, "n_head": 3,
             "d_model": 192, "bias": true})"},
    };
}

}  // namespace headroom
