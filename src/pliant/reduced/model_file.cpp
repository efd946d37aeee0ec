#include "pliant/reduced/model_file.h"

#include <fmt/format.h>

#include "pliant/base/error.h"
#include "pliant/reduced/hrpd_file.h"

namespace pliant {

std::string_view method(const ReducedModel& model) {
  return std::holds_alternative<HrpdModel>(model) ? "hrpd" : "reduced_fem";
}

const ModelBody& body_of(const ReducedModel& model) {
  return std::visit([](const auto& m) -> const ModelBody& { return m; }, model);
}

ModelBody& body_of(ReducedModel& model) {
  return std::visit([](auto& m) -> ModelBody& { return m; }, model);
}

const Points& rest_positions(const ReducedModel& model) {
  if (const auto* hrpd = std::get_if<HrpdModel>(&model)) return hrpd->basis.rest;
  return std::get<ReducedFem>(model).rest_positions;
}

void write_model(const ReducedModel& model, const std::filesystem::path& file) {
  if (const auto* hrpd = std::get_if<HrpdModel>(&model))
    write_hrpd(*hrpd, file);
  else
    write_reduced_fem(std::get<ReducedFem>(model), file);
}

ReducedModel read_model(const std::filesystem::path& file) {
  const SafetensorsFile arrays(file);
  const auto format = arrays.metadata().find("format");
  if (format != arrays.metadata().end() && format->second == hrpd_format) return read_hrpd(arrays);
  if (format != arrays.metadata().end() && format->second == reduced_fem_format)
    return read_reduced_fem(arrays);
  throw InputError(
      fmt::format("{}: is no model of a kind that this program knows; expected the format {} or {}",
                  arrays.name(), hrpd_format, reduced_fem_format));
}

}  // namespace pliant
