"""The experiments of An efficient construction of reduced deformable objects [von Tycowicz et al. 2013]."""
