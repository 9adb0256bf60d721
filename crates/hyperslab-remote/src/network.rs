//! The network threads and connections of the process: created on first use, and again in a forked child.

use hyperslab_io::{Cancel, PerProcess};
use std::future::Future;
use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use tokio::runtime::Runtime;

/// Network threads. They decrypt and copy; decoding is done by other threads.
const THREADS: usize = 2;
/// The timeout for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Unused connections are closed after this time.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The time between two checks of the cancellation flag while no response arrives.
pub(crate) const CANCEL_INTERVAL: Duration = Duration::from_millis(20);

/// The network of this process.
pub(crate) struct Network {
    runtime: Runtime,
    /// Makes all requests. Its connections are shared by all files.
    pub client: reqwest::Client,
}

impl Network {
    /// The network of this process.
    ///
    /// # Errors
    /// If the system cannot start threads, or if its certificates cannot be read.
    pub fn get() -> io::Result<&'static Self> {
        static NETWORK: PerProcess<OnceLock<Result<Network, String>>> = PerProcess::new();
        let made = NETWORK.get(OnceLock::new).get_or_init(|| Self::new().map_err(|error| error.to_string()));
        made.as_ref().map_err(|error| io::Error::other(format!("cannot use the network: {error}")))
    }

    fn new() -> io::Result<Self> {
        // Another part of the program may have chosen one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("hyperslab-net")
            .enable_all()
            .build()?;
        let client = {
            let _context = runtime.enter();
            reqwest::Client::builder()
                .user_agent(concat!("hyperslab/", env!("CARGO_PKG_VERSION")))
                // One connection per request in flight: the streams of an HTTP/2 connection share its window.
                .http1_only()
                // They are followed in `transport/http.rs`, because of what each server may receive.
                .redirect(reqwest::redirect::Policy::none())
                // A login is noted by its server in a cookie.
                .cookie_store(true)
                .connect_timeout(CONNECT_TIMEOUT)
                .pool_idle_timeout(IDLE_TIMEOUT)
                .build()
                .map_err(|error| io::Error::other(crate::failure::with_causes(&error)))?
        };
        Ok(Self { runtime, client })
    }

    /// Starts a task. It is cancelled when the returned guard is dropped.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> TaskGuard {
        TaskGuard(self.runtime.spawn(task).abort_handle())
    }

    /// Runs a future on the network threads and waits for its result, or until [`Cancel::current`] is cancelled. May be called
    /// from any thread, also from one that executes tasks of another runtime.
    pub fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = io::Result<T>> + Send + 'static,
    ) -> io::Result<T> {
        let (sender, result) = std::sync::mpsc::sync_channel(1);
        let _task = self.spawn(async move {
            let _ = sender.send(future.await);
        });
        let cancel = Cancel::current();
        loop {
            cancel.check()?;
            match result.recv_timeout(CANCEL_INTERVAL) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("a network task ended without a result"));
                }
            }
        }
    }
}

/// Cancels its task when it is dropped.
pub(crate) struct TaskGuard(tokio::task::AbortHandle);

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.0.abort();
    }
}
