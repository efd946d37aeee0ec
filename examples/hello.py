import pliant

pliant.write_mesh("squid.obj", pliant.make_shape("squid"))

surface = pliant.read_mesh("squid.obj")                    # or yours, dirty or not
solid = pliant.tetrahedralize(surface, tets=50_000).mesh
carried = pliant.embed(solid, surface.vertices)            # scipy matrix: surface = carried @ solid.vertices
distance = pliant.geodesic_distance(solid, sources=[0])
pliant.write_mesh("squid.vtu", solid)
