#pragma once
// What a document may say, written down once: the table that parses it also makes its JSON Schema, its error
// texts and its documentation.
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

using Json = nlohmann::ordered_json;

struct ObjectType;

/// What a value may be.
struct ValueType {
  enum class Kind { number, integer, boolean, string, choice, vector3, list, object, tagged };

  Kind kind = Kind::number;

  // Numbers, integers, and the components of vectors.
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool open_low = false, open_high = false;  ///< the bound itself is refused

  std::vector<std::string> choices = {};          ///< of a choice
  std::shared_ptr<const ValueType> item = {};     ///< of a list
  int min_items = 0, max_items = 1'000'000'000;   ///< of a list
  std::shared_ptr<const ObjectType> object = {};  ///< of an object
  /// Of a tagged object: its key "kind" names one of these.
  std::vector<std::shared_ptr<const ObjectType>> variants = {};
};

// Words for the table.
ValueType number();
ValueType above(double low);     ///< low < x
ValueType at_least(double low);  ///< low <= x
ValueType between(double low, double high);
ValueType inside(double low, double high);  ///< low < x < high
ValueType integer(double low, double high);
ValueType boolean();
ValueType text();
ValueType choice(std::vector<std::string> names);
ValueType vector3();
ValueType list_of(ValueType item, int min_items = 0, int max_items = 1'000'000'000);
ValueType object(ObjectType type);
ValueType tagged(std::vector<ObjectType> variants);

struct Field {
  std::string key;
  ValueType type;
  Json fallback = {};  ///< the value where the key is missing; null: the key stays missing
  std::string text;    ///< what it means, with its unit
  bool required = false;
};

struct ObjectType {
  std::string name;  ///< of a variant: its "kind"
  std::string text;
  std::vector<Field> fields;
  /// Of these keys exactly one must be there. Empty: no such rule.
  std::vector<std::string> exactly_one = {};
};

/// Parses JSON with comments. Errors name line and column; a key that comes twice in an object is refused.
Json parse_json(std::string_view text);

/// The document with every missing key filled in. Throws InputError that names the path ("bodies[2].density"), what was
/// found and what was expected, for anything the table does not allow.
Json validate(const Json& document, const ObjectType& type);

/// The same table as a JSON Schema (draft 2020-12).
Json json_schema(const ObjectType& type, const std::string& title);

/// The same table in Markdown: one row a key.
std::string schema_table(const ObjectType& type);

}  // namespace pliant
