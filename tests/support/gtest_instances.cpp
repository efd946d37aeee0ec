#define PLIANT_GTEST_INSTANCE template
#include "support/gtest_instances.h"
