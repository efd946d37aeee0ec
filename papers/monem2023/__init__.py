"""The experiments of Monem, Benner and Lessig 2023, a module a kind of experiment."""
