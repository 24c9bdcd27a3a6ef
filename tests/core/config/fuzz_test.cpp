// Random damage to documents: whatever is in a file, reading it ends in a value or in a UserError.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/schema.h"
#include "core/config/set_key.h"
#include "core/study/study.h"

namespace headroom {
namespace {

using nlohmann::json;
using Random = std::mt19937_64;

size_t below(Random& random, size_t n) {
    return random() % n;
}

/// Runs `read`; anything but a UserError of one line escapes and fails the test.
template <class Read>
bool survives(Read read) {
    try {
        read();
        return true;
    } catch (const UserError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        return false;
    }
}

json odd_value(Random& random) {
    static const std::vector<json> values{nullptr,
                                          true,
                                          -1,
                                          0,
                                          1,
                                          2,
                                          3,
                                          7,
                                          64,
                                          1023,
                                          1e9,
                                          1e18,
                                          -1e300,
                                          0.5,
                                          1e-320,
                                          18446744073709551615u,
                                          INT64_MIN,
                                          INT64_MAX,
                                          "",
                                          "own",
                                          "learned",
                                          "gqa",
                                          "identity",
                                          std::string(300, 'x'),
                                          "\n",
                                          json::array(),
                                          json::object(),
                                          json::array({0, 1}),
                                          json::array({json::array({json::array({0, 0})})}),
                                          json{{"keys", json::array({"own"})}},
                                          json{{"d_c", 1}}};
    return values[below(random, values.size())];
}

/// Changes one place somewhere in the document.
void damage(json& node, Random& random) {
    if (node.is_structured() && !node.empty() && below(random, 8) != 0) {
        auto it = node.begin();
        std::advance(it, static_cast<long>(below(random, node.size())));
        if (below(random, 12) == 0)
            node.erase(it);
        else
            damage(*it, random);
        return;
    }
    if (node.is_object() && below(random, 2) == 0) {
        const Field& field = job_schema()[below(random, job_schema().size())];
        node[field.key()] = odd_value(random);
        return;
    }
    node = odd_value(random);
}

json full_job(Random& random) {
    static const std::vector<std::string> archs{"gpt2", "skipv1", "skipv1_mla", "cla", "resformer"};
    const Job job = parse_job({{"model",
                                {{"arch", archs[below(random, archs.size())]},
                                 {"n_layer", 2},
                                 {"n_head", 2},
                                 {"d_model", 8}}}},
                              "");
    json document = to_json(job);
    if (below(random, 3) == 0 && !job.model.mla)
        document["model"]["wiring"] = {{"keys", json::parse("[[[[0,0]],[[0,1]]],[[[0,0,0.5],[1,0]],"
                                                            "[[0,1]]]]")},
                                       {"values", {"own", 0}}};
    return document;
}

TEST(JobFuzz, DamagedDocumentsAreReadOrRefused) {
    Random random(1);
    int read = 0;
    for (int i = 0; i < 4000; ++i) {
        json document = full_job(random);
        for (size_t n = 1 + below(random, 3); n > 0; --n) damage(document, random);
        read += survives([&] {
            const Job job = parse_job(document, "fuzz");
            EXPECT_EQ(parse_job(to_json(job), "fuzz"), job) << document.dump();
        });
    }
    EXPECT_GT(read, 100) << "the damage should leave some documents readable";
    EXPECT_LT(read, 3900) << "and some not";
}

TEST(JobFuzz, DamagedTextIsReadOrRefused) {
    Random random(2);
    for (int i = 0; i < 4000; ++i) {
        std::string text = full_job(random).dump();
        for (size_t n = 1 + below(random, 4); n > 0; --n) {
            const size_t at = below(random, text.size());
            if (below(random, 3) == 0)
                text.erase(at, 1 + below(random, 40));
            else
                text[at] = static_cast<char>(random());
            if (text.empty()) text.push_back('x');
        }
        survives([&] { parse_job(parse_json(text, "fuzz"), "fuzz"); });
    }
}

TEST(JobFuzz, AnyAssignmentIsAppliedOrRefused) {
    Random random(3);
    for (int i = 0; i < 1500; ++i) {
        json document = below(random, 2) == 0 ? full_job(random) : json::object();
        const Field& field = job_schema()[below(random, job_schema().size())];
        const json value = odd_value(random);
        std::string text =
            field.path + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
        if (below(random, 4) == 0) text[below(random, text.size())] = static_cast<char>(random());
        survives([&] {
            apply_set(document, text);
            parse_job(document, "fuzz");
        });
    }
}

TEST(StudyFuzz, DamagedStudiesAreReadOrRefused) {
    Random random(4);
    int read = 0;
    for (int i = 0; i < 3000; ++i) {
        json document = json::parse(R"({"schema": "headroom-study/1", "name": "n",
          "job": {"model": {"n_layer": 2, "n_head": 2, "d_model": 8}}, "seeds": [1, 2],
          "runs": [{"id": "a"}, {"id": "b", "job": {"model": {"arch": "skipv1"}}}],
          "figures": [{"name": "f", "recipe": "loss", "runs": ["a"], "options": {"x": 1}}]})");
        damage(document, random);
        read += survives([&] { parse_study(document, "fuzz"); });
    }
    EXPECT_GT(read, 50);
}

}  // namespace
}  // namespace headroom
