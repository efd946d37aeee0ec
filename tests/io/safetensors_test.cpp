#include "pliant/io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "pliant/base/error.h"
#include "pliant/base/rng.h"
#include "support/temporary_folder.h"

namespace pliant {
namespace {

using testing_support::contains;
using testing_support::file_bytes;
using testing_support::message_of;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

std::string container(const std::string& header, const std::string& data = "") {
  const std::uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

std::string bytes_of(const SafetensorsWriter& writer) {
  std::ostringstream stream;
  writer.write(stream);
  return stream.str();
}

std::string refusal(const std::string& bytes) {
  return message_of([&] { SafetensorsFile(bytes, "a.pliant"); });
}

SafetensorsWriter sample() {
  SafetensorsWriter writer;
  writer.add("ids", std::vector<std::uint8_t>{7, 8, 9});
  writer.add("rest", Points(Points::Random(5, 3)));
  writer.add("tets", Tets(Tets::Constant(2, 4, 11)));
  writer.add("weights", std::vector<float>{1, 2, 3, 4, 5, 6}, {1, 2, 3});
  writer.set_format("test", 3);
  return writer;
}

template <class T>
class SafetensorsOf : public testing::Test {};
using Scalars = testing::Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                               std::int32_t, std::uint64_t, std::int64_t, float, double>;
TYPED_TEST_SUITE(SafetensorsOf, Scalars);

}  // namespace

TYPED_TEST(SafetensorsOf, ComesBackBitForBit) {
  const TemporaryFolder folder;
  std::vector<TypeParam> values;
  for (int i = 0; i < 24; ++i) values.push_back(static_cast<TypeParam>(i * 7.25));
  values.push_back(std::numeric_limits<TypeParam>::lowest());
  values.push_back(std::numeric_limits<TypeParam>::max());
  SafetensorsWriter writer;
  writer.add("values", values, {2, 13});
  writer.write(folder / "a.pliant");

  const SafetensorsFile file(folder / "a.pliant");
  const auto read = file.values<TypeParam>("values");
  EXPECT_EQ(std::vector<TypeParam>(read.begin(), read.end()), values);
  EXPECT_EQ(file.tensor("values").shape, (std::vector<Index>{2, 13}));
  EXPECT_EQ(file.tensor("values").dtype, dtype_of<TypeParam>());
}

TEST(Safetensors, AMatrixIsWrittenByRowsWhateverItsOrder) {
  const MatrixXd columns = MatrixXd::Random(7, 4);
  const RowMajorMatrix<double> rows = columns;
  SafetensorsWriter writer;
  writer.add("columns", columns);
  writer.add("rows", rows);
  writer.add("block", columns.block(1, 1, 3, 2));
  writer.add("vector", VectorXi(VectorXi::LinSpaced(4, 0, 3)));
  const std::string bytes = bytes_of(writer);
  const SafetensorsFile file(bytes, "a");
  EXPECT_EQ(MatrixXd(file.matrix<double>("columns")), columns);
  EXPECT_EQ(MatrixXd(file.matrix<double>("rows")), columns);
  EXPECT_EQ(MatrixXd(file.matrix<double>("block")), MatrixXd(columns.block(1, 1, 3, 2)));
  EXPECT_EQ(VectorXi(file.matrix<int>("vector", 1)), VectorXi(VectorXi::LinSpaced(4, 0, 3)));
  EXPECT_EQ(file.tensor("vector").shape, std::vector<Index>{4});
}

TEST(Safetensors, EveryArrayLiesAlignedInDataThatBeginsAt64) {
  const std::string bytes = bytes_of(sample());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  EXPECT_EQ((8 + length) % 64, 0u);
  const SafetensorsFile file(bytes, "a");
  const char* data = bytes.data() + 8 + length;
  std::size_t reached = 0;
  for (const Tensor& tensor : file.tensors()) {
    const auto offset = static_cast<std::size_t>(reinterpret_cast<const char*>(tensor.bytes.data()) - data);
    EXPECT_EQ(offset, reached) << tensor.name;  // no copy was made, no hole left
    EXPECT_EQ(offset % size_of(tensor.dtype), 0u) << tensor.name;
    reached += tensor.bytes.size();
  }
  EXPECT_EQ(8 + length + reached, bytes.size());
}

TEST(Safetensors, ViewsOutliveAMovedFile) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  writer.add("x", std::vector<double>{1, 2, 3});
  writer.write(folder / "a.pliant");
  SafetensorsFile first(folder / "a.pliant");
  const auto view = first.values<double>("x");
  const SafetensorsFile second = std::move(first);
  EXPECT_EQ(view[2], 3);
  EXPECT_EQ(second.values<double>("x").data(), view.data());
}

TEST(Safetensors, ReplacingAFileLeavesAnOpenOneAsItWas) {
  const TemporaryFolder folder;
  const auto write = [&](double value) {
    SafetensorsWriter writer;
    writer.add("x", std::vector<double>(1000, value));
    writer.write(folder / "a.pliant");
  };
  write(1);
  const SafetensorsFile before(folder / "a.pliant");
  write(2);
  EXPECT_EQ(before.values<double>("x")[999], 1);
  EXPECT_EQ(SafetensorsFile(folder / "a.pliant").values<double>("x")[999], 2);
}

TEST(Safetensors, ViewsAreWrittenWithoutACopyAndTheSameArraysGiveTheSameBytes) {
  const std::vector<double> values{1, 2, 3, 4};
  SafetensorsWriter a, b;
  a.add_view("x", std::span<const double>(values), {2, 2});
  a.add("y", std::vector<int>{1});
  b.add("y", std::vector<int>{1});
  b.add("x", values, {2, 2});
  EXPECT_EQ(bytes_of(a), bytes_of(b));
}

TEST(Safetensors, EmptyArraysAndAnEmptyFileAreFine) {
  SafetensorsWriter writer;
  EXPECT_TRUE(SafetensorsFile(bytes_of(writer), "a").tensors().empty());
  writer.add("none", std::vector<double>{});
  writer.add("some", std::vector<double>{1});
  writer.add("flat", MatrixXd(0, 3));
  const std::string bytes = bytes_of(writer);
  const SafetensorsFile file(bytes, "a");
  EXPECT_EQ(file.matrix<double>("flat").cols(), 3);
  EXPECT_EQ(file.values<double>("none").size(), 0u);
  EXPECT_EQ(file.values<double>("some")[0], 1);
}

TEST(Safetensors, MetadataIsTextAnyText) {
  SafetensorsWriter writer;
  writer.set_metadata("units", "m, kg, s");
  writer.set_metadata("söme \"key\"\n", "{\"json\": [1, 2]}");
  const std::string bytes = bytes_of(writer);
  const SafetensorsFile file(bytes, "a");
  EXPECT_EQ(file.metadata("units"), "m, kg, s");
  EXPECT_EQ(file.metadata("söme \"key\"\n"), "{\"json\": [1, 2]}");
  EXPECT_TRUE(contains(message_of([&] { file.metadata("no"); }), "a: its metadata has no 'no'"));
  writer.set_metadata("bad", "\xff\xfe");
  EXPECT_THROW(bytes_of(writer), InputError);
}

TEST(Safetensors, AFormatHasAVersion) {
  const std::string bytes = bytes_of(sample());
  const SafetensorsFile file(bytes, "a");
  EXPECT_EQ(file.format_version("test", 3), 3);
  EXPECT_TRUE(contains(message_of([&] { file.format_version("test", 2); }), "version 3 of 'test' is newer"));
  EXPECT_TRUE(contains(message_of([&] { file.format_version("other", 3); }), "is 'test'; expected 'other'"));
}

TEST(Safetensors, ReadsWhatOtherWritersMake) {
  // No padding: doubles at an odd address; entries in another order than the data; spaces; a scalar.
  const double x[2] = {1.5, -2.5};
  std::string data(reinterpret_cast<const char*>(x), 16);
  const std::string bytes = container(
      R"({ "b":{"shape":[1],"data_offsets":[8,16],"dtype":"F64"},"a":{"dtype":"F64","shape":[],"data_offsets":[0,8]}} )",
      data);
  for (int shift = 0; shift < 8; ++shift) {
    const std::string shifted = std::string(static_cast<std::size_t>(shift), ' ') + bytes;
    const SafetensorsFile file(std::string_view(shifted).substr(static_cast<std::size_t>(shift)), "a");
    EXPECT_EQ(file.values<double>("a")[0], 1.5);
    EXPECT_EQ(file.matrix<double>("b")(0, 0), -2.5);
  }
}

TEST(Safetensors, EveryPrefixIsRefused) {
  const TemporaryFolder folder;
  const std::string bytes = bytes_of(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_THROW(SafetensorsFile(cut, "a"), InputError) << size;
    if (size % 16 != 0) continue;  // through the disk, some of them
    write_bytes(folder / "cut.pliant", cut);
    EXPECT_THROW(SafetensorsFile(folder / "cut.pliant"), InputError) << size;
  }
}

TEST(Safetensors, NoDamageToTheHeaderLeadsAViewOutOfTheFile) {
  const std::string bytes = bytes_of(sample());
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  Rng rng(7);
  int accepted = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::string damaged = bytes;
    for (int k = 0; k < 1 + trial % 3; ++k)
      damaged[static_cast<std::size_t>(rng.integer(static_cast<int>(length) + 8))] =
          static_cast<char>(rng.integer(256));
    try {
      const SafetensorsFile file(damaged, "a");
      ++accepted;
      std::size_t bytes_offered = 0;
      unsigned sum = 0;  // the address sanitizer watches these reads
      for (const Tensor& tensor : file.tensors()) {
        bytes_offered += tensor.bytes.size();
        for (const std::byte byte : tensor.bytes) sum += std::to_integer<unsigned>(byte);
      }
      EXPECT_LT(bytes_offered, damaged.size());
      EXPECT_LE(sum, 255 * bytes_offered);
    } catch (const InputError&) {
    }
  }
  EXPECT_GT(accepted, 0);  // a changed letter of a name is no damage we can see
}

TEST(Safetensors, RefusalsNameTheTensorAndWhatWasExpected) {
  const auto tensor = [](const std::string& inside) { return "{\"U\":{" + inside + "}}"; };
  const std::string data(16, '\0');
  const auto says = [&](const std::string& header, const std::string& sentence) {
    EXPECT_TRUE(contains(refusal(container(header, data)), sentence)) << header;
    EXPECT_EQ(refusal(container(header, data)).rfind("a.pliant: ", 0), 0u) << header;
  };
  says(tensor(R"("dtype":"F63","shape":[2],"data_offsets":[0,16])"), "tensor 'U': dtype 'F63' is unknown");
  says(tensor(R"("dtype":"F64","shape":[3],"data_offsets":[0,16])"),
       "span 16 bytes, but shape [3] of F64 takes 24");
  says(tensor(R"("dtype":"F64","shape":[2],"data_offsets":[8,24])"), "leave the 16 bytes of data");
  says(tensor(R"("dtype":"F64","shape":[2],"data_offsets":[16,0])"), "leave the 16 bytes of data");
  says(tensor(R"("dtype":"F64","shape":[1],"data_offsets":[8,16])"), "begins at byte 8 of the data, beyond");
  says(tensor(R"("dtype":"F64","shape":[1],"data_offsets":[0,8])"), "8 bytes follow the last tensor");
  says(tensor(R"("dtype":"F64","shape":[2],"data_offsets":[0])"), "data_offsets has 1 numbers; expected 2");
  says(tensor(R"("dtype":"F64","shape":[-2],"data_offsets":[0,16])"), "shape holds the number -2");
  says(tensor(R"("dtype":"F64","shape":[2.0],"data_offsets":[0,16])"), "shape holds the number 2.0");
  says(tensor(R"("dtype":"F64","shape":2,"data_offsets":[0,16])"), "shape is the number 2; expected a list");
  says(tensor(R"("dtype":64,"shape":[2],"data_offsets":[0,16])"), "dtype is the number 64");
  says(tensor(R"("dtype":"F64","shape":[[2]],"data_offsets":[0,16])"), "shape holds a list");
  says(tensor(R"("dtype":"F64","shape":[2])"), "entry is incomplete");
  says(tensor(R"("dtype":"F64","dtype":"F64")"), "has a second 'dtype'");
  says(tensor(R"("type":"F64")"), "has an unknown field 'type'");
  says(tensor(R"("dtype":"U8","shape":[4294967296,4294967296,16],"data_offsets":[0,16])"),
       "more than memory");
  says(tensor(R"("dtype":"F64","shape":[4611686018427387904],"data_offsets":[0,16])"), "more than memory");
  says(tensor(R"("dtype":"U8","shape":[18446744073709551615],"data_offsets":[0,16])"), "more than memory");
  says(
      R"({"U":{"dtype":"U8","shape":[16],"data_offsets":[0,16]},"V":{"dtype":"U8","shape":[8],"data_offsets":[8,16]}})",
      "tensor 'V' begins at byte 8 of the data, inside the one before, which ends at 16");
  says(
      R"({"U":{"dtype":"U8","shape":[16],"data_offsets":[0,16]},"U":{"dtype":"U8","shape":[0],"data_offsets":[16,16]}})",
      "tensor 'U' is there twice");
  says(R"({"U":[]})", "tensor 'U' is a list; expected an object");
  says(R"({"__metadata__":{"version":1}})", "__metadata__ 'version' is the number 1; expected text");
  says(R"({"__metadata__":{"a":"1","a":"2"}})", "__metadata__ has 'a' twice");
  says("[]", "does not begin with '{'");
  says("", "does not begin with '{'");
  says("{\"U\":", "not JSON at byte");
  says("{} x", "not JSON at byte");
  says("{\"U\":" + std::string(100000, '{'), "not JSON at byte");
  says("{\"U\":" + std::string(100000, '['), "tensor 'U' is a list");
  EXPECT_TRUE(contains(refusal(std::string(8, '\xff')), "the header is said to take"));
}

TEST(Safetensors, AskingForWhatIsNotThereIsASentence) {
  const std::string bytes = bytes_of(sample());
  const SafetensorsFile file(bytes, "a");
  EXPECT_TRUE(contains(message_of([&] { file.tensor("V"); }), "a: there is no tensor 'V'"));
  EXPECT_TRUE(contains(message_of([&] { file.values<float>("rest"); }), "'rest' holds F64; expected F32"));
  EXPECT_TRUE(
      contains(message_of([&] { file.matrix<double>("rest", 4); }), "shape [5, 3]; expected 4 columns"));
  EXPECT_EQ(file.matrix<float>("weights").cols(), 6);  // later dimensions continue the row
  EXPECT_TRUE(contains(message_of([] { SafetensorsFile(std::filesystem::path("/no/such/file")); }),
                       "/no/such/file: cannot read: No such file"));
  EXPECT_TRUE(contains(message_of([] { SafetensorsFile(std::filesystem::path("/tmp")); }), "directory"));
}

TEST(Safetensors, AWriterRefusesANameTwiceAndAShapeThatDoesNotFit) {
  SafetensorsWriter writer;
  writer.add("x", std::vector<double>(6));
  EXPECT_THROW(writer.add("x", std::vector<double>(6)), InputError);
  EXPECT_THROW(writer.add("__metadata__", std::vector<double>(6)), InputError);
  EXPECT_THROW(writer.add("y", std::vector<double>(6), {2, 2}), InputError);
  EXPECT_THROW(writer.add("y", std::vector<double>(6), {-2, -3}), InputError);
}

}  // namespace pliant
