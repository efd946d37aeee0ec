#pragma once
// The numbers of a .vtu DataArray, however the file encodes them.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pliant/io/byte_reader.h"

namespace pliant {

/// How the whole file stores its numbers.
struct VtuEncoding {
  bool swap = false;             ///< big-endian
  bool long_headers = false;     ///< header_type UInt64
  bool compressed = false;       ///< zlib blocks
  bool appended_base64 = false;  ///< AppendedData in base64, otherwise raw
  std::string_view file;         ///< all of it
  std::string_view appended;     ///< what follows the underscore
};

enum class VtuFormat { ascii, binary, appended };

/// One array as the file declares it.
struct VtuArray {
  std::string name;
  NumberKind kind = NumberKind::float32;
  std::int64_t components = 1;
  VtuFormat format = VtuFormat::ascii;
  std::uint64_t offset = 0;                  ///< into the appended data
  std::size_t text_begin = 0, text_end = 0;  ///< what stands between the tags
};

/// Decoded numbers. Compressed data that says it holds more than `most` of them is refused before it is
/// inflated.
class VtuNumbers {
 public:
  VtuNumbers(const VtuEncoding& encoding, const VtuArray& array, std::uint64_t most);

  std::size_t size() const { return bytes_.size() / size_of(kind_); }
  double number(std::size_t i) const {
    return load_as_double(kind_, bytes_.data() + i * size_of(kind_), swap_);
  }
  std::int64_t integer(std::size_t i) const {
    return load_as_integer(kind_, bytes_.data() + i * size_of(kind_), swap_);
  }

 private:
  NumberKind kind_;
  bool swap_;
  std::shared_ptr<std::string> storage_ =
      std::make_shared<std::string>();  // shared, so that bytes_ stays good
  std::string_view bytes_;              // of storage_, or of the file itself
};

}  // namespace pliant
