//! What the gate's types must not be able to do. A type that learns to do it stops compiling here.

use super::*;

/// Fails to compile when `$type` implements `$trait`: the call is then ambiguous.
macro_rules! assert_lacks {
    ($type:ty: $($trait:path),+ $(,)?) => {$({
        trait Ambiguous<Marker> {
            fn check() {}
        }
        impl<T: ?Sized> Ambiguous<()> for T {}
        struct Implemented;
        impl<T: ?Sized + $trait> Ambiguous<Implemented> for T {}
        <$type as Ambiguous<_>>::check();
    })+};
}

#[test]
fn gate_types_cannot_be_copied_made_up_or_printed() {
    assert_lacks!(Session<'static>: Clone, Default, std::fmt::Debug, std::fmt::Display);
    assert_lacks!(Note<'static>: Clone, Default, std::fmt::Debug, std::fmt::Display);
    assert_lacks!(Released<'static, String>: Clone, Default, std::fmt::Debug, std::fmt::Display);
    assert_lacks!(Vault: Clone, Default, std::fmt::Debug);
    assert_lacks!(NotePath: Default, From<String>, From<&'static str>, std::str::FromStr, std::fmt::Display);
    assert_lacks!(Note<'static>: serde::Serialize, serde::de::DeserializeOwned);
    assert_lacks!(Released<'static, String>: serde::Serialize, serde::de::DeserializeOwned);
    assert_lacks!(NotePath: serde::Serialize, serde::de::DeserializeOwned);
    assert_lacks!(Session<'static>: serde::Serialize, serde::de::DeserializeOwned);
}

#[test]
fn what_may_be_logged_names_no_note() {
    assert_eq!(format!("{:?}", note("secret name.md")), "NotePath(14 bytes)");
    assert_eq!(NotFound.to_string(), "note not found");
}
