#include "pliant/scene/schema.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pliant/base/error.h"

namespace pliant {

using Kind = ValueType::Kind;

ValueType number() { return {}; }
ValueType above(double low) { return {.low = low, .open_low = true}; }
ValueType at_least(double low) { return {.low = low}; }
ValueType between(double low, double high) { return {.low = low, .high = high}; }
ValueType inside(double low, double high) {
  return {.low = low, .high = high, .open_low = true, .open_high = true};
}
ValueType integer(double low, double high) { return {.kind = Kind::integer, .low = low, .high = high}; }
ValueType boolean() { return {.kind = Kind::boolean}; }
ValueType text() { return {.kind = Kind::string}; }
ValueType choice(std::vector<std::string> names) {
  return {.kind = Kind::choice, .choices = std::move(names)};
}
ValueType vector3() { return {.kind = Kind::vector3}; }
ValueType list_of(ValueType item, int min_items, int max_items) {
  return {.kind = Kind::list,
          .item = std::make_shared<const ValueType>(std::move(item)),
          .min_items = min_items,
          .max_items = max_items};
}
ValueType object(ObjectType type) {
  return {.kind = Kind::object, .object = std::make_shared<const ObjectType>(std::move(type))};
}
ValueType tagged(std::vector<ObjectType> variants) {
  ValueType type{.kind = Kind::tagged};
  for (ObjectType& variant : variants)
    type.variants.push_back(std::make_shared<const ObjectType>(std::move(variant)));
  return type;
}

namespace {

// === Words

std::string bound(double x) { return fmt::format("{:g}", x); }

std::string range_words(const ValueType& type, const char* noun) {
  const bool low = std::isfinite(type.low), high = std::isfinite(type.high);
  if (low && high)
    return fmt::format("{} {} {} {} {}", noun, type.open_low ? "above" : "from", bound(type.low),
                       type.open_high ? "and below" : "to", bound(type.high));
  if (low) return fmt::format("{} {} {}", noun, type.open_low ? "above" : "of at least", bound(type.low));
  if (high) return fmt::format("{} {} {}", noun, type.open_high ? "below" : "of at most", bound(type.high));
  return noun;
}

std::string words(const ValueType& type) {
  switch (type.kind) {
    case Kind::number:
      return range_words(type, "a number");
    case Kind::integer:
      return range_words(type, "a whole number");
    case Kind::boolean:
      return "true or false";
    case Kind::string:
      return "a string";
    case Kind::choice:
      return fmt::format("one of \"{}\"", fmt::join(type.choices, "\", \""));
    case Kind::vector3:
      return "three numbers [x, y, z]";
    case Kind::list:
      return fmt::format("a list of {}", words(*type.item));
    case Kind::object:
      return "an object {...}";
    case Kind::tagged: {
      std::vector<std::string> names;
      for (const auto& variant : type.variants) names.push_back(variant->name);
      return fmt::format("an object with \"kind\" one of \"{}\"", fmt::join(names, "\", \""));
    }
  }
  return "";
}

std::string shown(const Json& value) {
  // Long or deep values would hide the sentence (and dumping a deep one would exhaust the stack); bytes that are
  // no UTF-8 would make dump() throw.
  const auto plain = [](const Json& x) { return !x.is_structured() || x.empty(); };
  if (value.is_object() && !value.empty()) return "an object";
  if (value.is_array() && (value.size() > 4 || !std::all_of(value.begin(), value.end(), plain)))
    return fmt::format("a list of {}", value.size());
  std::string result = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (result.size() > 60) result = result.substr(0, 57) + "...";
  return result;
}

[[noreturn]] void refuse(const std::string& path, const Json& found, const std::string& expected) {
  throw InputError(
      fmt::format("{} is {}; expected {}", path.empty() ? "the document" : path, shown(found), expected));
}

std::string join_path(const std::string& path, const std::string& key) {
  return path.empty() ? key : fmt::format("{}.{}", path, key);
}

/// The allowed word nearest to what was written, if it is near enough to be what was meant.
std::string nearest(const std::string& word, const std::vector<std::string>& allowed) {
  const auto distance = [](const std::string& a, const std::string& b) {  // Levenshtein
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= b.size(); ++j) {
        const std::size_t above_left = diagonal;
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, above_left + (a[i - 1] == b[j - 1] ? 0 : 1)});
      }
    }
    return row[b.size()];
  };
  if (word.size() > 40) return "";
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : allowed)
    if (const std::size_t d = distance(word, candidate); d < best_distance)
      best = candidate, best_distance = d;
  return best;
}

// === Checking

Json checked(const Json& value, const ValueType& type, const std::string& path);

Json checked_object(const Json& value, const ObjectType& type, const std::string& path, bool has_kind) {
  if (!value.is_object()) refuse(path, value, "an object {...}");
  std::vector<std::string> keys;
  if (has_kind) keys.push_back("kind");
  for (const Field& field : type.fields) keys.push_back(field.key);
  for (const auto& [key, unused] : value.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      const std::string meant = nearest(key, keys);
      throw InputError(fmt::format("{} is not a key of {}; {}", join_path(path, key), type.name,
                                   meant.empty() ? fmt::format("expected one of {}", fmt::join(keys, ", "))
                                                 : fmt::format("did you mean {}?", meant)));
    }
  if (!type.exactly_one.empty()) {
    std::vector<std::string> found;
    for (const std::string& key : type.exactly_one)
      if (value.contains(key)) found.push_back(key);
    if (found.size() != 1)
      throw InputError(fmt::format("{} has {}; expected exactly one of {}",
                                   path.empty() ? "the document" : path,
                                   found.empty() ? "none" : fmt::format("{}", fmt::join(found, " and ")),
                                   fmt::join(type.exactly_one, ", ")));
  }
  Json result = Json::object();
  if (has_kind) result["kind"] = type.name;
  for (const Field& field : type.fields) {
    const std::string field_path = join_path(path, field.key);
    if (value.contains(field.key))
      result[field.key] = checked(value[field.key], field.type, field_path);
    else if (field.required)
      throw InputError(
          fmt::format("{} is missing; expected {}: {}", field_path, words(field.type), field.text));
    else if (!field.fallback.is_null())
      result[field.key] = checked(field.fallback, field.type, field_path);
  }
  return result;
}

bool in_range(double x, const ValueType& type) {
  return std::isfinite(x) && (type.open_low ? x > type.low : x >= type.low) &&
         (type.open_high ? x < type.high : x <= type.high);
}

Json checked_tagged(const Json& value, const ValueType& type, const std::string& path) {
  if (!value.is_object()) refuse(path, value, words(type));
  if (!value.contains("kind"))
    throw InputError(fmt::format("{} is missing; expected {}", join_path(path, "kind"), words(type)));
  for (const auto& variant : type.variants)
    if (value["kind"] == variant->name) return checked_object(value, *variant, path, true);
  std::vector<std::string> names;
  for (const auto& variant : type.variants) names.push_back(variant->name);
  refuse(join_path(path, "kind"), value["kind"], fmt::format("one of \"{}\"", fmt::join(names, "\", \"")));
}

Json checked(const Json& value, const ValueType& type, const std::string& path) {
  switch (type.kind) {
    case Kind::number:
      if (!value.is_number() || !in_range(value.get<double>(), type)) refuse(path, value, words(type));
      return value;
    case Kind::integer: {
      if (!value.is_number()) refuse(path, value, words(type));
      const double x = value.get<double>();
      if (!in_range(x, type) || x != std::floor(x)) refuse(path, value, words(type));
      return static_cast<std::int64_t>(x);
    }
    case Kind::boolean:
      if (!value.is_boolean()) refuse(path, value, words(type));
      return value;
    case Kind::string:
      if (!value.is_string()) refuse(path, value, words(type));
      return value;
    case Kind::choice:
      if (!value.is_string() || std::find(type.choices.begin(), type.choices.end(),
                                          value.get_ref<const std::string&>()) == type.choices.end())
        refuse(path, value, words(type));
      return value;
    case Kind::vector3:
      if (!value.is_array() || value.size() != 3 ||
          !std::all_of(value.begin(), value.end(), [](const Json& x) { return x.is_number(); }))
        refuse(path, value, words(type));
      return value;
    case Kind::list: {
      if (!value.is_array()) refuse(path, value, words(type));
      if (value.size() < static_cast<std::size_t>(type.min_items))
        throw InputError(
            fmt::format("{} has {} entries; expected at least {}", path, value.size(), type.min_items));
      if (value.size() > static_cast<std::size_t>(type.max_items))
        throw InputError(
            fmt::format("{} has {} entries; expected at most {}", path, value.size(), type.max_items));
      Json result = Json::array();
      for (std::size_t i = 0; i < value.size(); ++i)
        result.push_back(checked(value[i], *type.item, fmt::format("{}[{}]", path, i)));
      return result;
    }
    case Kind::object:
      return checked_object(value, *type.object, path, false);
    case Kind::tagged:
      return checked_tagged(value, type, path);
  }
  return value;
}

// === JSON Schema

Json schema_of(const ObjectType& type, bool has_kind);

Json schema_of(const ValueType& type) {
  switch (type.kind) {
    case Kind::number:
    case Kind::integer: {
      Json schema = {{"type", type.kind == Kind::integer ? "integer" : "number"}};
      if (std::isfinite(type.low)) schema[type.open_low ? "exclusiveMinimum" : "minimum"] = type.low;
      if (std::isfinite(type.high)) schema[type.open_high ? "exclusiveMaximum" : "maximum"] = type.high;
      return schema;
    }
    case Kind::boolean:
      return {{"type", "boolean"}};
    case Kind::string:
      return {{"type", "string"}};
    case Kind::choice:
      return {{"enum", type.choices}};
    case Kind::vector3:
      return {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 3}, {"maxItems", 3}};
    case Kind::list: {
      Json schema = {{"type", "array"}, {"items", schema_of(*type.item)}};
      if (type.min_items > 0) schema["minItems"] = type.min_items;
      if (type.max_items < 1'000'000'000) schema["maxItems"] = type.max_items;
      return schema;
    }
    case Kind::object:
      return schema_of(*type.object, false);
    case Kind::tagged: {
      Json variants = Json::array();
      for (const auto& variant : type.variants) variants.push_back(schema_of(*variant, true));
      return {{"oneOf", variants}};
    }
  }
  return {};
}

Json schema_of(const ObjectType& type, bool has_kind) {
  Json properties = Json::object();
  Json required = Json::array();
  if (has_kind) {
    properties["kind"] = {{"const", type.name}};
    required.push_back("kind");
  }
  for (const Field& field : type.fields) {
    Json property = schema_of(field.type);
    property["description"] = field.text;
    if (!field.fallback.is_null()) property["default"] = field.fallback;
    properties[field.key] = std::move(property);
    if (field.required) required.push_back(field.key);
  }
  Json schema = {{"type", "object"}, {"description", type.text}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  if (!type.exactly_one.empty()) {
    Json options = Json::array();
    for (const std::string& key : type.exactly_one) options.push_back({{"required", {key}}});
    schema["oneOf"] = std::move(options);
  }
  return schema;
}

// === Documentation

void add_rows(const ObjectType& type, const std::string& path, std::string& out);

void add_rows(const ValueType& type, const std::string& path, std::string& out) {
  if (type.kind == Kind::list) add_rows(*type.item, path + "[]", out);
  if (type.kind == Kind::object) add_rows(*type.object, path, out);
  for (const auto& variant : type.variants) {
    out += fmt::format("| `{}` | kind `{}` | | {} |\n", path, variant->name, variant->text);
    add_rows(*variant, path, out);
  }
}

void add_rows(const ObjectType& type, const std::string& path, std::string& out) {
  for (const Field& field : type.fields) {
    const std::string field_path = join_path(path, field.key);
    const std::string fallback = field.required             ? "required"
                                 : field.fallback.is_null() ? ""
                                                            : fmt::format("`{}`", shown(field.fallback));
    out += fmt::format("| `{}` | {} | {} | {} |\n", field_path, words(field.type), fallback, field.text);
    add_rows(field.type, field_path, out);
  }
}

std::string place_of(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t start = before.rfind('\n');
  const std::size_t column = before.size() - (start == std::string_view::npos ? 0 : start + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

Json parse_json(std::string_view text) {
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw InputError(fmt::format("the key {} comes twice in one object; expected once", shown(parsed)));
    return true;
  };
  try {
    return Json::parse(text, watch, true, true);
  } catch (const Json::parse_error& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ...": the last part says what.
    std::string what = error.what();
    if (const auto at = what.find(": "); at != std::string::npos) what = what.substr(at + 2);
    throw InputError(fmt::format("{}: this is not JSON: {}", place_of(text, error.byte), what));
  } catch (const Json::exception& error) {
    std::string what = error.what();
    if (const auto at = what.find("] "); at != std::string::npos) what = what.substr(at + 2);
    throw InputError(fmt::format("this is not JSON: {}", what));
  }
}

Json validate(const Json& document, const ObjectType& type) {
  return checked_object(document, type, "", false);
}

Json json_schema(const ObjectType& type, const std::string& title) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(schema_of(type, false));
  return schema;
}

std::string schema_table(const ObjectType& type) {
  std::string out = "| key | value | default | meaning |\n|---|---|---|---|\n";
  add_rows(type, "", out);
  return out;
}

}  // namespace pliant
