//! A table of the functions of a library, each under its own name, looked up while the program runs.

/// Declares a table: `struct Name { function(argument, ...) -> result; ... }`, and how it is filled from a library.
macro_rules! functions {
    ($(#[$about:meta])* struct $table:ident { $($name:ident($($argument:ty),* $(,)?) -> $result:ty;)* }) => {
        $(#[$about])*
        #[allow(non_snake_case, reason = "the names are the library's")]
        #[derive(Clone, Copy)]
        pub(crate) struct $table {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
        }

        impl $table {
            /// # Safety
            /// The functions of `library` that have these names have the types that the table says.
            unsafe fn find(library: &libloading::Library) -> Result<Self, $crate::library::LibraryError> {
                Ok(Self {
                    // SAFETY: the caller vouches for the types.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| $crate::library::LibraryError::Missing(stringify!($name)))?,)*
                })
            }
        }
    };
}

pub(super) use functions;
