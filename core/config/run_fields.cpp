#include <nlohmann/json.hpp>

#include "core/base/dtype.h"
#include "core/config/field_binding.h"
#include "core/data/data_spec.h"
#include "core/data/tokenizer_spec.h"

namespace headroom {
namespace {

constexpr char kRun[] = "Run";

BoundField precision_field() {
    Field field{.path = "precision",
                .help =
                    "Number type of activations and products; bfloat16 keeps float32 master "
                    "weights, float64 is for checks on the CPU",
                .type = FieldType::kChoice,
                .choices = {"float32", "float64", "bfloat16"},
                .group = kRun};
    return {std::move(field),
            [](const Job& job) { return nlohmann::json(std::string(name_of(job.precision))); },
            [](Job& job, const nlohmann::json& value) {
                job.precision = parse_dtype(value.get<std::string>());
            }};
}

BoundField probes_field() {
    Field field{.path = "probes",
                .help =
                    "Probes during training and at its end, on a fixed batch of the validation "
                    "data, such as {\"kind\": \"heads\", \"every\": 250}; "
                    "core/probe/README.md lists kinds and options",
                .type = FieldType::kList,
                .group = kRun,
                .advanced = true};
    return {std::move(field), [](const Job& job) { return to_json(job.probes); },
            [](Job& job, const nlohmann::json& value) { job.probes = parse_probes(value); }};
}

}  // namespace

std::vector<BoundField> run_fields() {
    std::vector<BoundField> fields;
    fields.push_back(bind(
        {.path = "name", .help = "Name of the run in lists and legends", .group = kRun},
        [](auto& job) -> auto& { return job.name; }));
    fields.push_back(bind(
        {.path = "seed",
         .help = "Seed of initial weights, batches and dropout",
         .minimum = 0,
         .group = kRun},
        [](auto& job) -> auto& { return job.seed; }));
    fields.push_back(bind(
        {.path = "device",
         .help = "Where to train; auto takes CUDA where there is one",
         .choices = {"auto", "cpu", "cuda"},
         .group = kRun},
        [](auto& job) -> auto& { return job.device; }));
    fields.push_back(precision_field());
    fields.push_back(probes_field());
    let_resume(fields, {"name", "device", "probes"});
    set_concern(fields, {"name", "device", "probes"}, Concern::kRecord);
    return fields;
}

std::vector<BoundField> data_fields() {
    constexpr char kData[] = "Data";
    std::vector<BoundField> fields;
    fields.push_back(bind(
        {.path = "data.train", .help = "Training data: " + training_data_forms(), .group = kData},
        [](auto& job) -> auto& { return job.data.train; }));
    fields.push_back(bind(
        {.path = "data.val",
         .help = "Validation data: a spec like data.train, or split:F for the "
                 "last fraction F of the training data",
         .group = kData},
        [](auto& job) -> auto& { return job.data.val; }));
    fields.push_back(bind(
        {.path = "data.tokenizer",
         .help = tokenizer_forms() + "; unused for tokens: and task:",
         .group = kData},
        [](auto& job) -> auto& { return job.data.tokenizer; }));
    fields.push_back(bind(
        {.path = "data.augment",
         .help = "What happens to a picture each time it is trained on: nothing, a flip of left "
                 "and right for every other one, or that and a cut out of it with a black margin "
                 "of an eighth of its side",
         .group = kData,
         .advanced = true,
         .newer = true},
        [](auto& job) -> auto& { return job.data.augment; }));
    count_when(fields, {"augment"},
               {"data.train = images:", [](const Job& job) { return job.data.are_images(); }});
    return fields;
}

}  // namespace headroom
