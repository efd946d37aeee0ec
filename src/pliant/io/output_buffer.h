#pragma once
// Text and numbers into a stream, many at a time: what every mesh writer writes through.
#include <charconv>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pliant/io/byte_reader.h"

namespace pliant {

/// Collects output and hands it to the stream in large pieces. Numbers are written as the shortest text that
/// reads back to the same bits, whatever the locale. Ends with finish().
class OutputBuffer {
 public:
  explicit OutputBuffer(std::ostream& out) : out_(out), buffer_(1 << 16) {}

  OutputBuffer& operator<<(std::string_view text) {
    bytes(text.data(), text.size());
    return *this;
  }
  OutputBuffer& operator<<(char c) {
    make_room();
    buffer_[used_++] = c;
    return *this;
  }
  template <class Number>
  requires(std::is_arithmetic_v<Number> && !std::is_same_v<Number, char> &&
           !std::is_same_v<Number, bool>) OutputBuffer&
  operator<<(Number value) {
    make_room();
    used_ = static_cast<std::size_t>(std::to_chars(at(), at() + longest_number, value).ptr - buffer_.data());
    return *this;
  }

  /// The bytes of a number as this machine has them (little-endian), or reversed.
  template <class Number>
  void raw(Number value, bool swap = false) {
    make_room();
    if (swap) value = byte_swapped(value);
    std::memcpy(at(), &value, sizeof(value));
    used_ += sizeof(value);
  }
  void bytes(const void* data, std::size_t size) {
    if (size == 0) return;
    if (size > buffer_.size() - used_) {
      finish();
      if (size > buffer_.size()) {
        out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
        return;
      }
    }
    std::memcpy(at(), data, size);
    used_ += size;
  }

  /// Hands on what is left. Not in a destructor, since a full disk throws here.
  void finish() {
    out_.write(buffer_.data(), static_cast<std::streamsize>(used_));
    used_ = 0;
  }

 private:
  static constexpr std::size_t longest_number = 32;
  char* at() { return buffer_.data() + used_; }
  void make_room() {
    if (buffer_.size() - used_ < longest_number) finish();
  }

  std::ostream& out_;
  std::vector<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace pliant
