#include "pliant/io/vtu_data.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstring>

#include "pliant/base/error.h"
#include "pliant/io/text_scanner.h"

namespace pliant {
namespace {

constexpr std::array<std::int8_t, 256> base64_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < letters.size(); ++i)
    values[static_cast<unsigned char>(letters[i])] = static_cast<std::int8_t>(i);
  return values;
}();

// Bytes one after the other, raw or in base64. Padding may stand in the middle: the header of compressed data
// is encoded by itself.
class Source {
 public:
  Source(std::string_view text, bool base64) : text_(text), base64_(base64) {}

  // At most this much can still come.
  std::size_t room() const { return base64_ ? text_.size() / 4 * 3 + 3 + ready_ : text_.size(); }

  // The next bytes; what is decoded goes to `storage`.
  std::string_view take(std::uint64_t size, std::string& storage) {
    if (size > room()) fail(size);
    if (!base64_) {
      const std::string_view result = text_.substr(0, static_cast<std::size_t>(size));
      text_.remove_prefix(static_cast<std::size_t>(size));
      return result;
    }
    storage.clear();
    storage.reserve(static_cast<std::size_t>(size));
    while (storage.size() < size) {
      if (ready_ == 0) decode_four(size);
      storage += group_[group_size_ - ready_--];
    }
    return storage;
  }
  std::uint64_t header_word(const VtuEncoding& encoding) {
    std::string storage;
    const std::string_view word = take(encoding.long_headers ? 8 : 4, storage);
    return encoding.long_headers ? load<std::uint64_t>(word.data(), encoding.swap)
                                 : load<std::uint32_t>(word.data(), encoding.swap);
  }
  [[noreturn]] void fail(std::uint64_t size) const {
    throw InputError(fmt::format("the data ends early; expected {} more bytes", size));
  }

 private:
  // Four letters are three bytes, or fewer where '=' pads.
  void decode_four(std::uint64_t wanted) {
    std::uint32_t bits = 0;
    int letters = 0, padding = 0;
    std::size_t i = 0;
    for (; i < text_.size() && letters + padding < 4; ++i) {
      const char c = text_[i];
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      if (c == '=' && letters >= 2) {
        ++padding;
        bits <<= 6;
        continue;
      }
      const int value = base64_values[static_cast<unsigned char>(c)];
      if (value < 0 || padding > 0)
        throw InputError(
            fmt::format("found {} in base64 data; expected a letter of base64", in_quotes({&c, 1})));
      bits = bits << 6 | static_cast<std::uint32_t>(value);
      ++letters;
    }
    text_.remove_prefix(i);
    if (letters + padding < 4) fail(wanted);
    group_ = {static_cast<char>(bits >> 16), static_cast<char>(bits >> 8), static_cast<char>(bits)};
    group_size_ = ready_ = static_cast<std::size_t>(3 - padding);
  }

  std::string_view text_;
  bool base64_;
  std::array<char, 3> group_{};
  std::size_t group_size_ = 0, ready_ = 0;
};

// Blocks of equal size, the last perhaps shorter: their number, sizes and compressed sizes, then the blocks.
std::string inflate_blocks(Source& source, const VtuEncoding& encoding, std::uint64_t most_numbers,
                           std::size_t bytes_each) {
  const std::uint64_t count = source.header_word(encoding), block_size = source.header_word(encoding),
                      last_size = source.header_word(encoding);
  if (count > source.room() / (encoding.long_headers ? 8 : 4)) source.fail(count);
  std::vector<std::uint64_t> compressed_sizes(static_cast<std::size_t>(count));
  for (std::uint64_t& size : compressed_sizes) size = source.header_word(encoding);

  std::string result, storage;
  for (std::size_t i = 0; i < compressed_sizes.size(); ++i) {
    const std::string_view block = source.take(compressed_sizes[i], storage);
    const std::uint64_t size = i + 1 == compressed_sizes.size() && last_size > 0 ? last_size : block_size;
    // zlib cannot shrink anything by more than this.
    if (size > 1040 * static_cast<std::uint64_t>(block.size()) + 64)
      throw InputError(
          fmt::format("block {} of {} bytes is said to hold {}; expected at most 1032 times as much", i,
                      block.size(), size));
    const std::size_t before = result.size();
    if ((before + size) / bytes_each > most_numbers)
      throw InputError(fmt::format("blocks 0 to {} hold {} numbers; expected at most {}", i,
                                   (before + size) / bytes_each, most_numbers));
    result.resize(before + static_cast<std::size_t>(size));
    uLongf inflated = static_cast<uLongf>(size);
    if (uncompress(reinterpret_cast<Bytef*>(result.data() + before), &inflated,
                   reinterpret_cast<const Bytef*>(block.data()), static_cast<uLong>(block.size())) != Z_OK ||
        inflated != size)
      throw InputError(fmt::format("block {} does not decompress to {} bytes; expected zlib data", i, size));
  }
  return result;
}

bool is_real(NumberKind kind) { return kind == NumberKind::float32 || kind == NumberKind::float64; }

}  // namespace

VtuNumbers::VtuNumbers(const VtuEncoding& encoding, const VtuArray& array, std::uint64_t most)
    : kind_(array.kind), swap_(encoding.swap) {
  if (array.format == VtuFormat::ascii) {
    // Kept at full width, since the declared one may be narrower than the text.
    TextScanner scanner(encoding.file.substr(0, array.text_end));
    scanner.move_to(array.text_begin);
    const bool real = is_real(array.kind);
    kind_ = real ? NumberKind::float64 : NumberKind::int64;
    swap_ = false;
    while (!scanner.at_end()) {
      char bytes[8];
      if (const double value = real ? scanner.number("a number") : 0; real) {
        std::memcpy(bytes, &value, 8);
      } else {
        const std::int64_t whole = scanner.integer("a whole number");
        std::memcpy(bytes, &whole, 8);
      }
      storage_->append(bytes, 8);
    }
    bytes_ = *storage_;
    return;
  }
  const bool appended = array.format == VtuFormat::appended;
  if (appended && array.offset > encoding.appended.size())
    throw InputError(fmt::format("found offset {}; expected at most the {} bytes of appended data",
                                 array.offset, encoding.appended.size()));
  Source source(appended ? encoding.appended.substr(static_cast<std::size_t>(array.offset))
                         : encoding.file.substr(array.text_begin, array.text_end - array.text_begin),
                !appended || encoding.appended_base64);
  if (encoding.compressed) {
    *storage_ = inflate_blocks(source, encoding, most, size_of(kind_));
    bytes_ = *storage_;
  } else {
    const std::uint64_t size = source.header_word(encoding);
    bytes_ = source.take(size, *storage_);
  }
  if (bytes_.size() % size_of(kind_) != 0)
    throw InputError(fmt::format("found {} bytes; expected a multiple of {}", bytes_.size(), size_of(kind_)));
}

}  // namespace pliant
