//! The functions that this library defines in place of libhdf5's.
//!
//! Each is a few instructions that hand the address of the caller over as one more argument.

mod close;
mod open;
mod read;
mod read_chunk;
mod read_several;
mod register;
mod write;

/// Defines an exported function of up to five arguments, which jumps to `inner` with the address of its caller as the next one.
macro_rules! jump {
    ($symbol:ident, $register:literal, $arm_register:literal, $inner:path) => {
        /// In place of libhdf5's.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {inner}", inner = sym $inner);
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!(concat!("mov ", $arm_register, ", x30"), "b {inner}", inner = sym $inner);
        }
    };
}

/// The same for six arguments: on x86-64, the seventh is on the stack.
macro_rules! jump_with_six {
    ($symbol:ident, $inner:path) => {
        /// In place of libhdf5's.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                "push [rsp]",
                ".cfi_adjust_cfa_offset 8",
                "call {inner}",
                "add rsp, 8",
                ".cfi_adjust_cfa_offset -8",
                "ret",
                ".cfi_endproc",
                inner = sym $inner
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!("mov x6, x30", "b {inner}", inner = sym $inner);
        }
    };
}

/// The same for functions of which more arguments are on the stack: `$copy` pushes the address of the caller and these arguments again,
/// `$bytes` in all.
macro_rules! jump_with_stack {
    ($symbol:ident, [$($copy:literal),*], $bytes:literal, [$($arm:literal),*], $inner:path) => {
        /// In place of libhdf5's.
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $symbol() {
            #[cfg(target_arch = "x86_64")]
            core::arch::naked_asm!(
                ".cfi_startproc",
                $($copy,)*
                concat!(".cfi_adjust_cfa_offset ", $bytes),
                "call {inner}",
                concat!("add rsp, ", $bytes),
                concat!(".cfi_adjust_cfa_offset -", $bytes),
                "ret",
                ".cfi_endproc",
                inner = sym $inner
            );
            #[cfg(target_arch = "aarch64")]
            core::arch::naked_asm!($($arm,)* inner = sym $inner);
        }
    };
}

use jump;
use jump_with_six;
use jump_with_stack;
