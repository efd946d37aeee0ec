#pragma once
// Named arrays in one file that can be mapped: the safetensors container, which is also our model file .pliant.
//
//     8 bytes   length of the header, little-endian
//     header    JSON {"name": {"dtype": "F64", "shape": [3, 4], "data_offsets": [0, 96]}, "__metadata__": {...}}
//     data      the arrays, row-major, little-endian, one after the other without a hole
//
// Nothing in it can execute, and numpy or JavaScript read it in ten lines. Format:
// https://github.com/huggingface/safetensors
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "pliant/numerics/types.h"

namespace pliant {

class InputFile;

/// What an array is made of. C++ has no type for F16, BF16 and the F8s: their bytes can be reached, no more.
enum class Dtype { Bool, U8, I8, F8_E5M2, F8_E4M3, U16, I16, F16, BF16, U32, I32, F32, U64, I64, F64 };

std::string_view name_of(Dtype dtype);
std::size_t size_of(Dtype dtype);  ///< bytes of one value, which is also its alignment

template <class T>
constexpr Dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return Dtype::Bool;
  if constexpr (std::is_same_v<T, std::uint8_t>) return Dtype::U8;
  if constexpr (std::is_same_v<T, std::int8_t>) return Dtype::I8;
  if constexpr (std::is_same_v<T, std::uint16_t>) return Dtype::U16;
  if constexpr (std::is_same_v<T, std::int16_t>) return Dtype::I16;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Dtype::U32;
  if constexpr (std::is_same_v<T, std::int32_t>) return Dtype::I32;
  if constexpr (std::is_same_v<T, float>) return Dtype::F32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Dtype::U64;
  if constexpr (std::is_same_v<T, std::int64_t>) return Dtype::I64;
  if constexpr (std::is_same_v<T, double>) return Dtype::F64;
}

template <class T>
using RowMajorMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
using MatrixView = Eigen::Map<const RowMajorMatrix<T>>;

/// One array of a file that is open.
struct Tensor {
  std::string name;
  Dtype dtype = Dtype::U8;
  std::vector<Index> shape;          ///< empty for a single number
  std::span<const std::byte> bytes;  ///< where it lies in the file, aligned for its dtype
};

/// A safetensors file, mapped: opening costs the header, an array costs what is read of it. Everything is
/// checked on opening (lengths, names, dtypes, shapes, offsets), so a view never leaves the file; the values
/// themselves are the caller's to check. Views live as long as the file, which may be moved.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);  ///< a gzipped file is inflated into memory

  /// The same from bytes that outlive it; `name` stands in error messages.
  SafetensorsFile(std::string_view bytes, std::string name);

  const std::string& name() const { return file_; }                ///< as it stands in messages
  const std::vector<Tensor>& tensors() const { return tensors_; }  ///< in the order of their data
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  bool has(const std::string& name) const { return order_.count(name) > 0; }
  const Tensor& tensor(const std::string& name) const;

  /// The values of an array, row by row, without a copy. Throws InputError where it is absent or of another
  /// type.
  template <class T>
  std::span<const T> values(const std::string& name) const {
    const Tensor& found = typed(name, dtype_of<T>());
    return {reinterpret_cast<const T*>(found.bytes.data()), found.bytes.size() / sizeof(T)};
  }

  /// The same as a matrix. A vector is one column; dimensions after the second continue the rows. `columns`,
  /// where given, must be met.
  template <class T>
  MatrixView<T> matrix(const std::string& name, Index columns = -1) const {
    const auto [rows, found] = matrix_size(name, columns);
    return {values<T>(name).data(), rows, found};
  }

  /// The metadata value, which must be there.
  const std::string& metadata(const std::string& key) const;

  /// The version that SafetensorsWriter::set_format() left. Throws InputError where the file is of another
  /// format, or newer than `newest`.
  int format_version(std::string_view format, int newest) const;

 private:
  void read(std::string_view bytes);
  const Tensor& typed(const std::string& name, Dtype dtype) const;
  std::pair<Index, Index> matrix_size(const std::string& name, Index columns) const;

  std::string file_;                         // for messages
  std::shared_ptr<const InputFile> memory_;  // the mapping
  std::vector<std::shared_ptr<std::byte[]>> realigned_;
  std::vector<Tensor> tensors_;
  std::map<std::string, std::size_t> order_;
  std::map<std::string, std::string> metadata_;
};

/// Collects arrays and writes them. Data begins at a multiple of 64 bytes, wider types first, so that every
/// array is aligned without holes. The same arrays give the same bytes.
class SafetensorsWriter {
 public:
  /// A matrix (n x m), or a vector (n), copied.
  template <class Derived>
  void add(const std::string& name, const Eigen::MatrixBase<Derived>& values) {
    using T = typename Derived::Scalar;
    constexpr bool vector = Derived::IsVectorAtCompileTime;
    const RowMajorMatrix<T> rows = values;
    copy(name, dtype_of<T>(),
         vector ? std::vector<Index>{rows.size()} : std::vector<Index>{rows.rows(), rows.cols()},
         rows.data());
  }

  /// Values of any shape, row-major, copied. Without a shape: a vector.
  template <class T>
  void add(const std::string& name, const std::vector<T>& values, std::vector<Index> shape = {}) {
    add_view(name, std::span<const T>(values), std::move(shape));
    own_last();
  }

  /// The same, not copied: the values must stay until write().
  template <class T>
  void add_view(const std::string& name, std::span<const T> values, std::vector<Index> shape = {}) {
    if (shape.empty()) shape = {static_cast<Index>(values.size())};
    insert(name, dtype_of<T>(), std::move(shape), values.data(), values.size());
  }

  void set_metadata(const std::string& key, const std::string& value) { metadata_[key] = value; }

  /// What this file is and in which version, as the metadata "format" and "format_version".
  void set_format(const std::string& format, int version);

  void write(const std::filesystem::path& path) const;
  void write(std::ostream& stream) const;

 private:
  struct Item {
    std::string name;
    Dtype dtype;
    std::vector<Index> shape;
    const std::byte* data;
    std::size_t bytes;
    std::vector<std::byte> owned;
  };

  void insert(const std::string& name, Dtype dtype, std::vector<Index> shape, const void* data,
              std::size_t count);
  void copy(const std::string& name, Dtype dtype, std::vector<Index> shape, const void* data);
  void own_last();

  std::vector<Item> items_;
  std::map<std::string, std::string> metadata_;
};

}  // namespace pliant
