//! The examples that the book shows run, and find what they say.

#[path = "../../examples/first_equation.rs"]
mod first_equation;
#[path = "../../examples/other_methods.rs"]
mod other_methods;
#[path = "../../examples/trajectories.rs"]
mod trajectories;

#[test]
fn a_law_is_found_in_a_file() {
    first_equation::main().unwrap();
}

#[test]
fn a_system_is_found_in_a_record() {
    trajectories::main().unwrap();
}

#[test]
fn other_methods_learn_from_the_same_rows() {
    other_methods::main().unwrap();
}
