//! Forks: a child writes a trace of its own, and no lock is held in it by a thread that it does not have.

use crate::{api, process};
use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::sync::{MutexGuard, Once};

type Held = (Option<process::Held>, MutexGuard<'static, api::Copies>);

thread_local! {
    /// What the thread that forks holds meanwhile.
    static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
}

/// Has forks prepared from now on.
pub fn register() {
    static ONCE: Once = Once::new();
    // SAFETY: three functions without arguments.
    ONCE.call_once(|| unsafe {
        libc::pthread_atfork(Some(before), Some(in_parent), Some(in_child));
    });
}

extern "C" fn before() {
    let held = process::hold();
    let _ = HELD.try_with(|place| *place.borrow_mut() = Some((held, api::hold())));
}

extern "C" fn in_parent() {
    let _ = HELD.try_with(|place| place.borrow_mut().take());
}

extern "C" fn in_child() {
    let mut held = HELD.try_with(|place| place.borrow_mut().take()).ok().flatten();
    if let Some((Some(held), _)) = &mut held {
        process::renew(held);
    }
}

/// Runs something with all signals blocked: a thread that it starts never runs a handler of the program.
pub fn without_signals(work: impl FnOnce()) {
    let (mut all, mut before) =
        (MaybeUninit::<libc::sigset_t>::uninit(), MaybeUninit::<libc::sigset_t>::uninit());
    // SAFETY: memory for two sets, each written before it is read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    work();
    // SAFETY: the set that there was.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
}
