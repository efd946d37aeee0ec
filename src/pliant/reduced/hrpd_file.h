#pragma once
// Models of hyper-reduced projective dynamics in files.
#include <filesystem>

#include "pliant/reduced/hrpd_model.h"

namespace pliant {

inline constexpr const char* hrpd_format = "pliant-hrpd";

/// Refuses, with a sentence, what does not fit together.
void check(const HrpdModel& model);

void write_hrpd(const HrpdModel& model, const std::filesystem::path& file);
/// Everything is checked: a file cut short, of another kind, of a newer format.
HrpdModel read_hrpd(const SafetensorsFile& file);
HrpdModel read_hrpd(const std::filesystem::path& file);

}  // namespace pliant
