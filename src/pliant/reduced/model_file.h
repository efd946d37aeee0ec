#pragma once
// Models of every kind, and files that may hold any of them.
#include <filesystem>
#include <string_view>
#include <variant>

#include "pliant/reduced/hrpd_model.h"
#include "pliant/reduced/reduced_fem.h"

namespace pliant {

using ReducedModel = std::variant<HrpdModel, ReducedFem>;

std::string_view method(const ReducedModel& model);  ///< "hrpd", "reduced_fem"
const ModelBody& body_of(const ReducedModel& model);
ModelBody& body_of(ReducedModel& model);
const Points& rest_positions(const ReducedModel& model);

void write_model(const ReducedModel& model, const std::filesystem::path& file);
/// Of the kind that the file says it is. Everything is checked.
ReducedModel read_model(const std::filesystem::path& file);

}  // namespace pliant
