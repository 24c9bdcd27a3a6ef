#include <nlohmann/json.hpp>

#include "core/config/field_binding.h"

namespace headroom {
namespace {

constexpr char kImages[] = "Images";

/// Said in one word by those who train on pictures; written as vocab_size.
BoundField n_class_field() {
    Field field{.path = "model.n_class",
                .help = "Classes of images: model.vocab_size by another name",
                .type = FieldType::kInteger,
                .default_text = "none: vocab_size",
                .unit = "classes",
                .minimum = 1,
                .maximum = 1 << 24,
                .group = kImages,
                .advanced = true,
                .input_only = true,
                .instead_of = "model.vocab_size"};
    return {std::move(field), [](const Job&) { return nlohmann::json(); },
            [](Job&, const nlohmann::json&) {}};
}

}  // namespace

std::vector<BoundField> image_fields() {
    std::vector<BoundField> fields;
    fields.push_back(bind_model(
        &ModelConfig::input,
        {.path = "model.input",
         .help = "What is read: tokens, or images, whose square patches are the sequence",
         .group = kImages,
         .newer = true}));
    const auto pixels = [&](auto member, const std::string& key, const std::string& help) {
        fields.push_back(bind_model(member, {.path = "model." + key,
                                             .help = help,
                                             .unit = "pixels",
                                             .minimum = 1,
                                             .maximum = kLargestImage,
                                             .group = kImages,
                                             .newer = true}));
    };
    pixels(&ModelConfig::image_size, "image_size",
           "Side of an image; pictures of other sizes are scaled and their middle cut out");
    pixels(&ModelConfig::patch_size, "patch_size", "Side of a patch; divides image_size");
    fields.push_back(
        bind_model(&ModelConfig::pooling,
                   {.path = "model.pooling",
                    .help = "What the classes are told from: a class token of its own in front of "
                            "the patches, or the mean of all positions",
                    .group = kImages,
                    .advanced = true,
                    .newer = true}));
    fields.push_back(n_class_field());
    const auto images = [](const Job& job) { return job.model.reads_images(); };
    count_when(fields, {"image_size", "patch_size", "pooling"}, {"input = images", images});
    return fields;
}

}  // namespace headroom
