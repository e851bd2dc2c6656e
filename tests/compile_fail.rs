//! Ways around the wall that the compiler refuses, each for the reason in its `.stderr` file.

/// The door that is meant to be used must compile, or the refusals prove nothing.
#[path = "compile_fail/the_right_way.rs"]
mod the_right_way;

#[test]
fn ways_around_the_wall_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/bypass_*.rs");
}
