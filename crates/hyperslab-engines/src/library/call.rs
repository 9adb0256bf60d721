//! Calls of a library: the table of its functions, looked up when the library is loaded (never while a clock runs);
//! the one way to make a call and to hear of its failure; and identifiers that are closed when they go.

use crate::error::EngineError;

/// Declares `struct Functions { function(argument, ...) -> result; ... }`, then those that not every build has, and how
/// both are found in the first of several libraries that has them.
macro_rules! functions {
    (
        $(#[$about:meta])* struct Functions { $($name:ident($($argument:ty),* $(,)?) -> $result:ty;)* }
        $(optional { $($maybe:ident($($maybe_argument:ty),* $(,)?) -> $maybe_result:ty;)* })?
    ) => {
        $(#[$about])*
        #[allow(non_snake_case, reason = "the names are the library's")]
        pub(super) struct Functions {
            $(pub $name: unsafe extern "C" fn($($argument),*) -> $result,)*
            $($(pub $maybe: Option<unsafe extern "C" fn($($maybe_argument),*) -> $maybe_result>,)*)?
        }

        impl Functions {
            /// # Safety
            /// The functions of the libraries that have these names have the types that the table says.
            unsafe fn find(libraries: &[&libloading::Library]) -> Result<Self, $crate::EngineError> {
                Ok(Self {
                    // SAFETY: the caller vouches for the types.
                    $($name: unsafe { $crate::library::call::find(libraries, concat!(stringify!($name), "\0")) }
                        .ok_or($crate::EngineError::Missing(stringify!($name)))?,)*
                    // SAFETY: as above.
                    $($($maybe: unsafe { $crate::library::call::find(libraries, concat!(stringify!($maybe), "\0")) },)*)?
                })
            }
        }
    };
}

/// Calls a function of a library's table. Where the library says that it failed, that is an error with the function's
/// name. `library?.function(...)` calls one that not every build has.
macro_rules! call {
    ($library:ident.$function:ident($($argument:expr),* $(,)?)) => {
        $library.checked(stringify!($function), ($library.functions.$function)($($argument),*))
    };
    ($library:ident?.$function:ident($($argument:expr),* $(,)?)) => {
        match $library.functions.$function {
            Some(function) => $library.checked(stringify!($function), function($($argument),*)),
            None => $library.lacks(stringify!($function)),
        }
    };
}

/// Calls a function of a library's table that opens something. The answer is a [`Handle`], which the other function closes.
macro_rules! open {
    ($library:ident.$function:ident($($argument:expr),* $(,)?), $close:ident) => {
        $crate::library::call::call!($library.$function($($argument),*))
            .map(|id| $crate::library::call::Handle::new($library, id, $crate::library::call::close!($close)))
    };
}

/// The function of a [`Handle`] that closes it.
macro_rules! close {
    ($function:ident) => {
        |library, id| {
            // SAFETY: an open identifier, which is closed once.
            #[allow(unused_unsafe, reason = "some of these closures lie in an unsafe block")]
            let closed = unsafe { $crate::library::call::call!(library.$function(id)) };
            closed.map(drop)
        }
    };
}

pub(super) use call;
pub(super) use close;
pub(super) use functions;
pub(super) use open;

/// # Safety
/// What has this name, which ends in a zero byte, is a `T`.
pub(super) unsafe fn find<T: Copy>(libraries: &[&libloading::Library], name: &str) -> Option<T> {
    // SAFETY: the caller vouches for the type.
    let found =
        |library: &&libloading::Library| unsafe { library.get::<T>(name.as_bytes()) }.ok().map(|it| *it);
    libraries.iter().find_map(found)
}

/// An open identifier of a library, closed when it goes.
pub(super) struct Handle<L, I: Copy> {
    pub(super) id: I,
    pub(super) library: L,
    close: fn(&L, I) -> Result<(), EngineError>,
    is_open: bool,
}

impl<L: Clone, I: Copy> Handle<L, I> {
    /// Takes what a function opened.
    pub(super) fn new(library: &L, id: I, close: fn(&L, I) -> Result<(), EngineError>) -> Self {
        Self { id, library: library.clone(), close, is_open: true }
    }
}

impl<L, I: Copy> Handle<L, I> {
    /// Closes it now, and says if that fails (what is written may reach the file only then).
    pub(super) fn close(mut self) -> Result<(), EngineError> {
        self.end()
    }

    /// Closes it, once.
    fn end(&mut self) -> Result<(), EngineError> {
        if std::mem::replace(&mut self.is_open, false) {
            (self.close)(&self.library, self.id)
        } else {
            Ok(())
        }
    }
}

impl<L, I: Copy> Drop for Handle<L, I> {
    fn drop(&mut self) {
        // A drop cannot report a failure.
        let _ = self.end();
    }
}

/// Closes what several hold, if no other holds it any more.
pub(super) fn close_last<L, I: Copy>(handle: std::rc::Rc<Handle<L, I>>) -> Result<(), EngineError> {
    std::rc::Rc::into_inner(handle).map_or(Ok(()), Handle::close)
}
