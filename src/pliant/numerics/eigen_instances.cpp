#define PLIANT_EIGEN_INSTANCE template
#include "pliant/numerics/eigen_instances.h"
