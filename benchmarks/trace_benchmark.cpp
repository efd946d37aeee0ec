#include <benchmark/benchmark.h>

#include "pliant/base/trace.h"

namespace {

void trace_phase(benchmark::State& state) {
  pliant::Trace trace;
  for (auto _ : state) const pliant::Trace::Scope scope(trace, "phase");
}
BENCHMARK(trace_phase);

}  // namespace
