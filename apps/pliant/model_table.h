#pragma once
// What a reduced model is and how good it is, for people and for machines.
#include "command.h"
#include "pliant/reduced/model_file.h"

namespace pliant::app {

Json to_json(const ReducedModel& model, const std::string& file);
std::string to_table(const ReducedModel& model, const std::string& file);

}  // namespace pliant::app
