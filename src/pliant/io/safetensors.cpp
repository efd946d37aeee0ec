#include "pliant/io/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "pliant/base/error.h"
#include "pliant/io/atomic_file.h"
#include "pliant/io/input_file.h"

static_assert(std::endian::native == std::endian::little,
              "the container is little-endian, and mapped as it is");

namespace pliant {
namespace {

namespace fs = std::filesystem;

struct DtypeRow {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<DtypeRow, 15> kDtypes{{{"BOOL", 1},
                                            {"U8", 1},
                                            {"I8", 1},
                                            {"F8_E5M2", 1},
                                            {"F8_E4M3", 1},
                                            {"U16", 2},
                                            {"I16", 2},
                                            {"F16", 2},
                                            {"BF16", 2},
                                            {"U32", 4},
                                            {"I32", 4},
                                            {"F32", 4},
                                            {"U64", 8},
                                            {"I64", 8},
                                            {"F64", 8}}};

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kDataAlignment = 64;
constexpr std::size_t kLongestHeader = 100'000'000;  // the format's own limit
constexpr std::string_view kMetadata = "__metadata__";

// A name from a file, safe to print: cut short, without control characters.
std::string in_quotes(std::string_view name) {
  std::string text = "'";
  for (const char c : name.substr(0, 60)) text += static_cast<unsigned char>(c) < 32 ? '?' : c;
  return text + (name.size() > 60 ? "...'" : "'");
}

// === The header, event by event

// The JSON parser calls one of these for every token. The header has exactly one shape, so each token is
// either the next one expected or an error; nothing is kept that the file does not need, and depth is at
// most three.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  struct Entry {
    std::string name;
    std::string dtype = {};
    std::vector<std::uint64_t> shape = {}, offsets = {};
    bool has_dtype = false, has_shape = false, has_offsets = false;
  };
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;

  bool start_object(std::size_t) override {
    if (place_ == Place::start) return go(Place::root);
    if (place_ != Place::entry_value) unexpected("an object");
    if (name_ == kMetadata) return go(Place::metadata);
    entries.push_back({.name = name_});
    return go(Place::entry);
  }
  bool key(std::string& key) override {
    switch (place_) {
      case Place::root:
        if (!names_.insert(key).second)
          throw InputError(fmt::format("tensor {} is there twice", in_quotes(key)));
        name_ = key;
        return go(Place::entry_value);
      case Place::metadata:
        if (metadata.count(key)) throw InputError(fmt::format("__metadata__ has {} twice", in_quotes(key)));
        field_ = key;
        return go(Place::metadata_value);
      default: {  // an entry
        Entry& entry = entries.back();
        bool* known = key == "dtype"          ? &entry.has_dtype
                      : key == "shape"        ? &entry.has_shape
                      : key == "data_offsets" ? &entry.has_offsets
                                              : nullptr;
        if (!known || *known)
          throw InputError(
              fmt::format("tensor {} has {} {}; expected dtype, shape and data_offsets once each",
                          in_quotes(name_), known ? "a second" : "an unknown field", in_quotes(key)));
        *known = true;
        field_ = key;
        return go(Place::field);
      }
    }
  }
  bool string(std::string& value) override {
    if (place_ == Place::metadata_value) {
      metadata[field_] = value;
      return go(Place::metadata);
    }
    if (place_ != Place::field || field_ != "dtype") unexpected(fmt::format("the text {}", in_quotes(value)));
    entries.back().dtype = value;
    return go(Place::entry);
  }
  bool start_array(std::size_t) override {
    if (place_ != Place::field || field_ == "dtype") unexpected("a list");
    return go(Place::numbers);
  }
  bool number_unsigned(std::uint64_t value) override {
    if (place_ != Place::numbers) unexpected(fmt::format("the number {}", value));
    Entry& entry = entries.back();
    (field_ == "shape" ? entry.shape : entry.offsets).push_back(value);
    return true;
  }
  bool end_array() override { return go(Place::entry); }
  bool end_object() override { return go(place_ == Place::root ? Place::end : Place::root); }

  bool null() override { unexpected("null"); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { unexpected(fmt::format("the number {}", value)); }
  bool number_float(double, const std::string& text) override {
    unexpected(fmt::format("the number {}", text.substr(0, 40)));
  }
  bool binary(nlohmann::json::binary_t&) override { unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw InputError(fmt::format("the header is not JSON at byte {}", kLengthBytes + position));
  }

 private:
  enum class Place { start, root, entry_value, entry, field, numbers, metadata, metadata_value, end };

  bool go(Place place) {
    place_ = place;
    return true;
  }
  [[noreturn]] void unexpected(const std::string& found) const {
    switch (place_) {
      case Place::start:
        throw InputError(fmt::format("the header is {}; expected an object of tensors", found));
      case Place::entry_value:
        throw InputError(fmt::format("tensor {} is {}; expected an object with dtype, shape and data_offsets",
                                     in_quotes(name_), found));
      case Place::metadata_value:
        throw InputError(fmt::format("__metadata__ {} is {}; expected text", in_quotes(field_), found));
      case Place::numbers:
        throw InputError(fmt::format("tensor {}: {} holds {}; expected non-negative whole numbers",
                                     in_quotes(name_), field_, found));
      default:
        throw InputError(fmt::format("tensor {}: {} is {}; expected {}", in_quotes(name_), field_, found,
                                     field_ == "dtype" ? "a type such as F64" : "a list of whole numbers"));
    }
  }

  Place place_ = Place::start;
  std::string name_, field_;
  std::set<std::string> names_;
};

}  // namespace

std::string_view name_of(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].name; }
std::size_t size_of(Dtype dtype) { return kDtypes[static_cast<std::size_t>(dtype)].size; }

// === Reading

SafetensorsFile::SafetensorsFile(const fs::path& path) : file_(path.string()) {
  memory_ = std::make_shared<const InputFile>(path);
  with_context(file_, [&] { read(memory_->bytes()); });
}

SafetensorsFile::SafetensorsFile(std::string_view bytes, std::string name) : file_(std::move(name)) {
  with_context(file_, [&] { read(bytes); });
}

void SafetensorsFile::read(std::string_view bytes) {
  // === Length and header
  if (bytes.size() < kLengthBytes)
    throw InputError(
        fmt::format("the file ends after {} bytes; expected 8 bytes of header length", bytes.size()));
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kLongestHeader || length > bytes.size() - kLengthBytes)
    throw InputError(
        fmt::format("the header is said to take {} bytes, but {} follow; the file is cut short or "
                    "not safetensors",
                    length, bytes.size() - kLengthBytes));
  const std::string_view text = bytes.substr(kLengthBytes, length);
  if (text.empty() || text[0] != '{')
    throw InputError("the header does not begin with '{'; the file is not safetensors");
  HeaderReader header;
  nlohmann::json::sax_parse(text.begin(), text.end(), &header);

  // === Every tensor by itself
  const std::string_view data = bytes.substr(kLengthBytes + length);
  struct Range {
    std::uint64_t begin, end;
    std::size_t tensor;
  };
  std::vector<Range> ranges;
  std::vector<Tensor> found;
  for (HeaderReader::Entry& entry : header.entries) {
    with_context(fmt::format("tensor {}", in_quotes(entry.name)), [&] {
      if (!entry.has_dtype || !entry.has_shape || !entry.has_offsets)
        throw InputError("its entry is incomplete; expected dtype, shape and data_offsets");
      const auto row = std::find_if(kDtypes.begin(), kDtypes.end(),
                                    [&](const DtypeRow& known) { return known.name == entry.dtype; });
      if (row == kDtypes.end())
        throw InputError(
            fmt::format("dtype {} is unknown; expected one of BOOL, U8 to U64, I8 to I64, F8 to F64",
                        in_quotes(entry.dtype)));
      constexpr std::uint64_t kMost = std::numeric_limits<Index>::max();
      std::uint64_t expected = row->size;
      for (const std::uint64_t extent : entry.shape)
        if (extent > kMost || __builtin_mul_overflow(expected, extent, &expected) || expected > kMost)
          throw InputError(
              fmt::format("shape [{}] is more than memory can hold", fmt::join(entry.shape, ", ")));
      if (entry.offsets.size() != 2)
        throw InputError(fmt::format("data_offsets has {} numbers; expected 2", entry.offsets.size()));
      const std::uint64_t begin = entry.offsets[0], end = entry.offsets[1];
      if (begin > end || end > data.size())
        throw InputError(
            fmt::format("data_offsets [{}, {}] leave the {} bytes of data; the file is cut short or "
                        "damaged",
                        begin, end, data.size()));
      if (end - begin != expected)
        throw InputError(fmt::format("data_offsets [{}, {}] span {} bytes, but shape [{}] of {} takes {}",
                                     begin, end, end - begin, fmt::join(entry.shape, ", "), row->name,
                                     expected));
      ranges.push_back({begin, end, found.size()});
      found.push_back({.name = std::move(entry.name),
                       .dtype = static_cast<Dtype>(row - kDtypes.begin()),
                       .shape = std::vector<Index>(entry.shape.begin(), entry.shape.end()),
                       .bytes = std::as_bytes(std::span(data.data() + begin, end - begin))});
    });
  }

  // === All together: they tile the data
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::tie(a.begin, a.end, a.tensor) < std::tie(b.begin, b.end, b.tensor);
  });
  std::uint64_t reached = 0;
  for (const Range& range : ranges) {
    if (range.begin != reached)
      throw InputError(
          fmt::format("tensor {} begins at byte {} of the data, {} the one before, which ends at {}; "
                      "expected neither overlap nor hole",
                      in_quotes(found[range.tensor].name), range.begin,
                      range.begin < reached ? "inside" : "beyond", reached));
    reached = range.end;
  }
  if (reached != data.size())
    throw InputError(fmt::format("{} bytes follow the last tensor; expected none", data.size() - reached));

  for (const Range& range : ranges) {
    Tensor& tensor = found[range.tensor];
    // Files of other writers may put doubles at odd addresses: those arrays are copied, ours never are.
    if (reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % size_of(tensor.dtype) != 0) {
      realigned_.emplace_back(new std::byte[tensor.bytes.size()]);
      std::copy(tensor.bytes.begin(), tensor.bytes.end(), realigned_.back().get());
      tensor.bytes = {realigned_.back().get(), tensor.bytes.size()};
    }
    order_[tensor.name] = tensors_.size();
    tensors_.push_back(std::move(tensor));
  }
  metadata_ = std::move(header.metadata);
}

const Tensor& SafetensorsFile::tensor(const std::string& name) const {
  const auto found = order_.find(name);
  if (found == order_.end())
    throw InputError(fmt::format("{}: there is no tensor {}", file_, in_quotes(name)));
  return tensors_[found->second];
}

const Tensor& SafetensorsFile::typed(const std::string& name, Dtype dtype) const {
  const Tensor& found = tensor(name);
  if (found.dtype != dtype)
    throw InputError(fmt::format("{}: tensor {} holds {}; expected {}", file_, in_quotes(name),
                                 name_of(found.dtype), name_of(dtype)));
  return found;
}

std::pair<Index, Index> SafetensorsFile::matrix_size(const std::string& name, Index columns) const {
  const std::vector<Index>& shape = tensor(name).shape;
  const Index rows = shape.empty() ? 1 : shape[0];
  Index found = 1;
  // An empty tensor may name any size beside its zero: the product need not fit.
  for (std::size_t i = 1; i < shape.size(); ++i)
    if (__builtin_mul_overflow(found, shape[i], &found)) found = 0;
  if (columns >= 0 && found != columns)
    throw InputError(fmt::format("{}: tensor {} has shape [{}]; expected {} columns", file_, in_quotes(name),
                                 fmt::join(shape, ", "), columns));
  return {rows, found};
}

const std::string& SafetensorsFile::metadata(const std::string& key) const {
  const auto found = metadata_.find(key);
  if (found == metadata_.end())
    throw InputError(fmt::format("{}: its metadata has no {}", file_, in_quotes(key)));
  return found->second;
}

int SafetensorsFile::format_version(std::string_view format, int newest) const {
  const auto found = metadata_.find("format");
  if (found == metadata_.end() || found->second != format)
    throw InputError(fmt::format("{}: its format is {}; expected {}", file_,
                                 found == metadata_.end() ? "not stated" : in_quotes(found->second),
                                 in_quotes(format)));
  const std::string& text = metadata("format_version");
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1)
    throw InputError(
        fmt::format("{}: format_version is {}; expected a whole number from 1", file_, in_quotes(text)));
  if (version > newest)
    throw InputError(
        fmt::format("{}: version {} of {} is newer than this program, which reads up to {}; update it", file_,
                    version, in_quotes(format), newest));
  return version;
}

// === Writing

void SafetensorsWriter::insert(const std::string& name, Dtype dtype, std::vector<Index> shape,
                               const void* data, std::size_t count) {
  std::uint64_t expected = 1;
  for (const Index extent : shape)
    if (extent < 0 || __builtin_mul_overflow(expected, static_cast<std::uint64_t>(extent), &expected))
      throw InputError(
          fmt::format("tensor {}: shape [{}] is impossible", in_quotes(name), fmt::join(shape, ", ")));
  if (expected != count)
    throw InputError(fmt::format("tensor {}: {} values do not fill shape [{}]", in_quotes(name), count,
                                 fmt::join(shape, ", ")));
  if (name == kMetadata ||
      std::any_of(items_.begin(), items_.end(), [&](const Item& i) { return i.name == name; }))
    throw InputError(fmt::format("tensor {}: the name is taken; choose another", in_quotes(name)));
  items_.push_back(
      {name, dtype, std::move(shape), static_cast<const std::byte*>(data), count * size_of(dtype), {}});
}

void SafetensorsWriter::copy(const std::string& name, Dtype dtype, std::vector<Index> shape,
                             const void* data) {
  std::size_t count = 1;
  for (const Index extent : shape) count *= static_cast<std::size_t>(extent);
  insert(name, dtype, std::move(shape), data, count);
  own_last();
}

void SafetensorsWriter::own_last() {
  Item& item = items_.back();
  item.owned.assign(item.data, item.data + item.bytes);
  item.data = item.owned.data();
}

void SafetensorsWriter::set_format(const std::string& format, int version) {
  set_metadata("format", format);
  set_metadata("format_version", std::to_string(version));
}

void SafetensorsWriter::write(std::ostream& stream) const {
  // Wider types first, then by name: then every array begins at a multiple of its own width.
  std::vector<const Item*> order;
  for (const Item& item : items_) order.push_back(&item);
  std::sort(order.begin(), order.end(), [](const Item* a, const Item* b) {
    const std::size_t wide_a = size_of(a->dtype), wide_b = size_of(b->dtype);
    return wide_a != wide_b ? wide_a > wide_b : a->name < b->name;
  });

  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata_.empty()) header[kMetadata] = metadata_;
  std::size_t offset = 0;
  for (const Item* item : order) {
    header[item->name] = {{"dtype", name_of(item->dtype)},
                          {"shape", item->shape},
                          {"data_offsets", {offset, offset + item->bytes}}};
    offset += item->bytes;
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::exception&) {
    throw InputError("a tensor's name or metadata is not UTF-8");
  }
  text.append((kDataAlignment - (kLengthBytes + text.size()) % kDataAlignment) % kDataAlignment, ' ');
  if (text.size() > kLongestHeader)
    throw InputError(
        fmt::format("names and metadata take {} bytes; the format allows {}", text.size(), kLongestHeader));

  const std::uint64_t length = text.size();
  stream.write(reinterpret_cast<const char*>(&length), sizeof length);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  for (const Item* item : order)
    stream.write(reinterpret_cast<const char*>(item->data), static_cast<std::streamsize>(item->bytes));
}

void SafetensorsWriter::write(const fs::path& path) const {
  write_atomically(path, [&](std::ostream& stream) { with_context(path.string(), [&] { write(stream); }); });
}

}  // namespace pliant
