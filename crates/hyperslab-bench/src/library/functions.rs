//! A table of the functions of a library, each under its own name, looked up when the library is loaded: never while a
//! clock runs.

/// Declares a table: `struct Name { function(argument, ...) -> result; ... }`, then those that not every build has, and
/// how both are found in a library.
macro_rules! functions {
    (
        $(#[$about:meta])* struct $table:ident { $($name:ident($($argument:ty),* $(,)?) -> $result:ty;)* }
        $(optional { $($maybe:ident($($maybe_argument:ty),* $(,)?) -> $maybe_result:ty;)* })?
    ) => {
        $(#[$about])*
        #[allow(non_snake_case, reason = "the names are the library's")]
        pub(crate) struct $table {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            $($(pub $maybe: Option<unsafe extern "C" fn($($maybe_argument),*) -> $maybe_result>,)*)?
        }

        impl $table {
            /// # Safety
            /// The functions of `library` that have these names have the types that the table says.
            unsafe fn find(library: &libloading::Library) -> Result<Self, $crate::library::LibraryError> {
                Ok(Self {
                    // SAFETY: the caller vouches for the types.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| $crate::library::LibraryError::Missing(stringify!($name)))?,)*
                    // SAFETY: as above.
                    $($($maybe: unsafe { library.get(concat!(stringify!($maybe), "\0").as_bytes()) }
                        .ok()
                        .map(|symbol| *symbol),)*)?
                })
            }
        }
    };
}

pub(super) use functions;
