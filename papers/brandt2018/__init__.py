"""The experiments of Brandt, Eisemann and Hildebrandt 2018, a module a kind of experiment."""
