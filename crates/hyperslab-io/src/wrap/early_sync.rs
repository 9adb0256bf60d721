//! A sink whose bytes go to the storage device while later ones are still being computed, so that little is left to wait
//! for at the end.

use crate::Sink;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Syncs another sink, on a thread of its own, each time that so many bytes were written.
///
/// A system reports that bytes could not be stored only to the first sync after that. So the error of any of them ends
/// writing here, and is the result of [`Sink::sync`], which must be called in the end.
#[derive(Debug)]
pub struct EarlySync<S> {
    inner: Arc<S>,
    step_bytes: u64,
    /// Bytes since the last request to sync.
    waiting_bytes: AtomicU64,
    syncer: Mutex<Syncer>,
}

/// The thread that syncs.
#[derive(Debug)]
enum Syncer {
    NotStarted,
    /// It syncs once for each message, and ends at an error.
    Running(SyncSender<()>, JoinHandle<io::Result<()>>),
    /// The kind and the message of its error.
    Failed(io::ErrorKind, String),
}

impl<S: Sink + 'static> EarlySync<S> {
    /// Syncs each time that `step_bytes` bytes were written.
    pub fn new(inner: S, step_bytes: u64) -> Self {
        let (waiting_bytes, syncer) = (AtomicU64::new(0), Mutex::new(Syncer::NotStarted));
        Self { inner: Arc::new(inner), step_bytes, waiting_bytes, syncer }
    }

    fn request(&self) -> io::Result<()> {
        let mut syncer = self.syncer.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(*syncer, Syncer::NotStarted) {
            let (sender, requests) = sync_channel(1);
            let inner = self.inner.clone();
            let thread = std::thread::Builder::new().name("sync".into());
            let thread = thread.spawn(move || requests.iter().try_for_each(|()| inner.sync()))?;
            *syncer = Syncer::Running(sender, thread);
        }
        match &*syncer {
            // A request that is waiting includes these bytes.
            Syncer::Running(sender, _) => match sender.try_send(()) {
                Ok(()) | Err(TrySendError::Full(())) => Ok(()),
                Err(TrySendError::Disconnected(())) => syncer.end(),
            },
            _ => syncer.end(),
        }
    }
}

impl Syncer {
    /// Waits for the thread. The error of a sync is returned now and each time afterwards.
    fn end(&mut self) -> io::Result<()> {
        *self = match std::mem::replace(self, Self::NotStarted) {
            Self::Running(sender, thread) => {
                drop(sender);
                let done = thread.join();
                match done.unwrap_or_else(|_| Err(io::Error::other("the thread that syncs panicked"))) {
                    Ok(()) => Self::NotStarted,
                    Err(error) => Self::Failed(error.kind(), error.to_string()),
                }
            }
            ended => ended,
        };
        match self {
            Self::Failed(kind, message) => Err(io::Error::new(*kind, message.clone())),
            _ => Ok(()),
        }
    }
}

impl<S: Sink + 'static> Sink for EarlySync<S> {
    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_at(at, bytes)?;
        let len = bytes.len() as u64;
        if self.waiting_bytes.fetch_add(len, Ordering::Relaxed).saturating_add(len) < self.step_bytes {
            return Ok(());
        }
        self.waiting_bytes.store(0, Ordering::Relaxed);
        self.request()
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.inner.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.syncer.lock().unwrap_or_else(PoisonError::into_inner).end()?;
        self.inner.sync()
    }

    fn name(&self) -> String {
        self.inner.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    /// Counts syncs, of which one fails.
    #[derive(Default)]
    struct Device {
        syncs: AtomicUsize,
        fails_at: Option<usize>,
    }

    impl Sink for Device {
        fn write_at(&self, _: u64, _: &[u8]) -> io::Result<()> {
            Ok(())
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            Ok(())
        }

        fn sync(&self) -> io::Result<()> {
            let number = self.syncs.fetch_add(1, Ordering::SeqCst);
            if Some(number) == self.fails_at { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn name(&self) -> String {
            "device".into()
        }
    }

    #[test]
    fn syncs_before_the_end() {
        let sink = EarlySync::new(Device::default(), 100);
        sink.write_at(0, &[0; 99]).unwrap();
        assert_eq!(sink.inner.syncs.load(Ordering::SeqCst), 0, "few bytes are synced once, in the end");
        sink.sync().unwrap();
        assert_eq!(sink.inner.syncs.load(Ordering::SeqCst), 1);
        sink.write_at(99, &[0; 1]).unwrap();
        sink.sync().unwrap();
        assert_eq!(sink.inner.syncs.load(Ordering::SeqCst), 3, "after 100 bytes, and in the end");
    }

    #[test]
    fn the_error_of_an_early_sync_is_not_lost() {
        let sink = EarlySync::new(Device { fails_at: Some(0), ..Device::default() }, 1);
        let _ = sink.write_at(0, &[0; 10]);
        for _ in 0..2 {
            assert_eq!(sink.sync().unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
        assert_eq!(sink.write_at(0, &[0; 10]).unwrap_err().kind(), io::ErrorKind::StorageFull);
    }
}
