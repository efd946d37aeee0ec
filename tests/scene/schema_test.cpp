#include "pliant/scene/schema.h"

#include <gtest/gtest.h>

#include "pliant/base/error.h"
#include "pliant/scene/scene_schema.h"

namespace pliant {
namespace {

std::string refusal(std::string_view text) {
  try {
    read_scene_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Schema, MissingKeysGetTheirDefaults) {
  const Json scene = read_scene_text(R"({"bodies": [{"shape": {"name": "bar"}}]})");
  EXPECT_EQ(scene["gravity"], Json({0, -9.81, 0}));
  EXPECT_EQ(scene["bodies"][0]["material"]["kind"], "neo_hookean");
  EXPECT_EQ(scene["bodies"][0]["material"]["young"], 1e5);
  EXPECT_FALSE(scene["bodies"][0].contains("mesh"));
}

TEST(Schema, CommentsAreAllowed) {
  EXPECT_NO_THROW(read_scene_text("{\"bodies\": [{\"shape\": {\"name\": \"bar\"}}] // a bar\n}"));
}

TEST(Schema, ErrorsNameThePathWhatWasFoundAndWhatWasExpected) {
  const auto with_body = [](const std::string& keys) {
    return R"({"bodies": [{"shape": {"name": "bar"}}, {"shape": {"name": "bar"}, )" + keys + "}]}";
  };
  EXPECT_EQ(refusal(with_body(R"("density": -1)")), "bodies[1].density is -1; expected a number above 0");
  EXPECT_EQ(refusal(with_body(R"("densty": 1)")),
            "bodies[1].densty is not a key of body; did you mean density?");
  EXPECT_EQ(refusal(with_body(R"("density": "heavy")")),
            "bodies[1].density is \"heavy\"; expected a number above 0");
  EXPECT_EQ(refusal(with_body(R"("material": {"kind": "stvk", "poisson": 0.5})")),
            "bodies[1].material.poisson is 0.5; expected a number above -1 and below 0.5");
  EXPECT_EQ(refusal(with_body(R"("fixed": [{"box": {"low": [0, 0], "high": [1, 1, 1]}}])")),
            "bodies[1].fixed[0].box.low is [0,0]; expected three numbers [x, y, z]");
  EXPECT_EQ(refusal(with_body(R"("fixed": [{}])")),
            "bodies[1].fixed[0] has none; expected exactly one of all, box, sphere, plane, vertices");
  EXPECT_EQ(refusal(with_body(R"("mesh": "bunny.obj")")),
            "bodies[1] has mesh and shape; expected exactly one of mesh, shape, model");
  EXPECT_EQ(refusal(R"({"bodies": []})"), "bodies has 0 entries; expected at least 1");
  EXPECT_NE(refusal("{}").find("bodies is missing"), std::string::npos);
  EXPECT_NE(
      refusal(with_body(R"("simulator": {"kind": "magic"})")).find("bodies[1].simulator.kind is \"magic\""),
      std::string::npos);
  EXPECT_EQ(refusal("[]"), "the document is []; expected an object {...}");
  EXPECT_NE(refusal(R"({"bodies": 1e999})").find("not JSON"), std::string::npos);
}

TEST(Schema, SyntaxErrorsNameLineAndColumn) {
  EXPECT_EQ(refusal("{\n  \"bodies\": [,]\n}").substr(0, 18), "line 2, column 14:");
  EXPECT_NE(refusal(R"({"frames": 1, "frames": 2})").find("\"frames\" comes twice"), std::string::npos);
  EXPECT_NE(refusal("").find("not JSON"), std::string::npos);
}

TEST(Schema, DeepNestingIsRefusedAndNotRecursedInto) {
  std::string deep = "{\"bodies\": ";
  deep.append(1000000, '[').append(1000000, ']').append("}");
  EXPECT_NE(refusal(deep).find("bodies[0] is a list of 1"), std::string::npos);
}

// The published schema and the parser come from one table; this walks the schema to see that every key is described.
void expect_described(const Json& schema) {
  if (schema.contains("properties")) {
    EXPECT_EQ(schema["additionalProperties"], false);
    for (const auto& [key, property] : schema["properties"].items()) {
      if (key != "kind") {
        EXPECT_FALSE(property["description"].get<std::string>().empty()) << key;
      }
      expect_described(property);
    }
  }
  if (schema.contains("items")) expect_described(schema["items"]);
  if (schema.contains("oneOf"))
    for (const Json& one : schema["oneOf"]) expect_described(one);
}

TEST(Schema, EveryKeyOfTheJsonSchemaIsDescribed) {
  const Json schema = scene_schema();
  expect_described(schema);
  EXPECT_EQ(schema["properties"]["time_step"]["default"], 1.0 / 60);
  EXPECT_NE(schema_table(scene_type()).find("`bodies[].material`"), std::string::npos);
}

}  // namespace
}  // namespace pliant
