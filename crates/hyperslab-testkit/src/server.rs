//! A local HTTP server that serves ranges of one file, counts its requests, and simulates latency, bandwidth and faults.
//!
//! It uses one thread per connection, and keeps connections alive. It supports the part of HTTP/1.1 that reading files
//! needs.

mod request;

use crate::link::{Counts, Fault, InFlight, Link, Traffic, lock};
use bytes::Bytes;
use request::{Request, RequestedBytes};
use std::collections::BTreeMap;
use std::io::{self, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A server of one file, which it serves under any path, or of the files of a folder. Dropping it ends it.
pub struct RangeServer {
    shared: Arc<Shared>,
    address: SocketAddr,
}

struct Shared {
    file: Mutex<Served>,
    /// The files of a folder, by the paths of their URLs; `None` if there is one file under any path.
    folder: Option<BTreeMap<String, Served>>,
    link: Link,
    traffic: Traffic,
    is_over: AtomicBool,
}

#[derive(Clone)]
struct Served {
    bytes: Bytes,
    /// The number of the present state of the file, from which its entity tag is made.
    state: u64,
}

impl Served {
    fn tag(&self) -> String {
        format!("\"state-{}\"", self.state)
    }
}

/// The header with the time of the last modification, which stores send. It does not depend on the state of the file: it
/// has the resolution of a second, so a client must not rely on it.
const MODIFIED: &str = "Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT\r\n";
/// The most bytes that are sent at once.
const SENT_BYTES: usize = 64 << 10;

impl RangeServer {
    /// Starts to serve these bytes.
    ///
    /// # Panics
    /// If no port can be opened.
    pub fn start(bytes: impl Into<Bytes>, link: Link) -> Self {
        Self::of(bytes.into(), None, link)
    }

    /// Starts to serve files by their names. Other names are not found.
    ///
    /// # Panics
    /// If no port can be opened.
    pub fn start_folder(files: impl IntoIterator<Item = (String, Vec<u8>)>, link: Link) -> Self {
        let served =
            |(name, bytes): (String, Vec<u8>)| (format!("/{name}"), Served { bytes: bytes.into(), state: 1 });
        Self::of(Bytes::new(), Some(files.into_iter().map(served).collect()), link)
    }

    fn of(bytes: Bytes, folder: Option<BTreeMap<String, Served>>, link: Link) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port on this machine");
        let address = listener.local_addr().expect("the port has an address");
        let file = Mutex::new(Served { bytes, state: 1 });
        let (traffic, is_over) = (Traffic::default(), AtomicBool::new(false));
        let shared = Arc::new(Shared { file, folder, link, traffic, is_over });
        let accepting = shared.clone();
        std::thread::spawn(move || accepting.accept(&listener));
        Self { shared, address }
    }

    /// The URL of the file under this name.
    pub fn url(&self, name: &str) -> String {
        format!("http://{}/{name}", self.address)
    }

    /// The counts of the requests so far.
    pub fn counts(&self) -> Counts {
        self.shared.traffic.counts()
    }

    /// Returns the counts since the last call.
    pub fn take_counts(&self) -> Counts {
        self.shared.traffic.take()
    }

    /// Sets the faults of the next requests, in order. `None` is a request without a fault.
    pub fn order(&self, faults: impl IntoIterator<Item = Option<Fault>>) {
        self.shared.traffic.order(faults);
    }

    /// Serves different bytes from now on, with a different entity tag.
    pub fn replace(&self, bytes: impl Into<Bytes>) {
        let mut file = lock(&self.shared.file);
        *file = Served { bytes: bytes.into(), state: file.state + 1 };
    }
}

impl Drop for RangeServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.is_over.load(Ordering::SeqCst) {
                return;
            }
            let Ok(stream) = stream else { continue };
            let shared = self.clone();
            let serve = move || {
                // The client sees an error of the connection; the server has nothing to do.
                let _ = shared.serve(stream);
            };
            let thread = std::thread::Builder::new().stack_size(256 << 10);
            thread.spawn(serve).expect("a thread for a connection");
        }
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        self.traffic.connected();
        stream.set_nodelay(true)?;
        // The thread of a client that disappeared must end.
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        loop {
            if stream.peek(&mut [0])? == 0 || self.is_over.load(Ordering::SeqCst) {
                return Ok(());
            }
            // Closing a connection whose bytes were not read resets it.
            if self.traffic.next_fault_if(|fault| fault == Fault::Reset) {
                return Ok(());
            }
            let Some(request) = Request::read(&mut reader)? else { return Ok(()) };
            if !self.respond(&request, &mut stream)? || !request.keeps_alive {
                return Ok(());
            }
        }
    }

    /// Sends the response to a request. False if the connection cannot be used any longer.
    fn respond(&self, request: &Request, stream: &mut TcpStream) -> io::Result<bool> {
        let file = match &self.folder {
            None => lock(&self.file).clone(),
            Some(files) => match files.get(&request.path) {
                Some(file) => file.clone(),
                None => return empty(stream, 404, ""),
            },
        };
        let total = file.bytes.len() as u64;
        let range = match request.bytes {
            RequestedBytes::All => 0..total,
            RequestedBytes::Range { first, last } => first.min(total)..last.saturating_add(1).min(total),
        };
        let (in_flight, fault) = self.traffic.request(range.clone());
        std::thread::sleep(self.link.latency);
        match fault {
            Some(Fault::Status(status)) => return empty(stream, status, ""),
            Some(Fault::RetryAfter(seconds)) => {
                return empty(stream, 503, &format!("Retry-After: {seconds}\r\n"));
            }
            Some(Fault::Stall(pause)) => std::thread::sleep(pause),
            _ => {}
        }
        if request.if_match.as_ref().is_some_and(|tag| *tag != file.tag()) {
            return empty(stream, 412, "");
        }
        if request.if_none_match.as_ref().is_some_and(|tag| *tag == file.tag()) {
            return empty(stream, 304, &format!("ETag: {}\r\n", file.tag()));
        }
        let is_all = request.bytes == RequestedBytes::All || fault == Some(Fault::WholeFile);
        if !is_all && range.is_empty() {
            return empty(stream, 416, &format!("Content-Range: bytes */{total}\r\n"));
        }
        let range = match fault {
            _ if is_all => 0..total,
            Some(Fault::WrongRange) => {
                (range.start + 1).min(total - 1)..range.end.saturating_add(1).min(total)
            }
            _ => range,
        };
        let len = range.end - range.start;
        let content_range =
            format!("Content-Range: bytes {}-{}/{total}\r\n", range.start, range.end.max(1) - 1);
        let (status, content_range) =
            if is_all { ("200 OK", "") } else { ("206 Partial Content", &*content_range) };
        let coding = if fault == Some(Fault::Gzip) { "Content-Encoding: gzip\r\n" } else { "" };
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {len}\r\n{content_range}{coding}ETag: {}\r\n{MODIFIED}Accept-Ranges: bytes\r\n\r\n",
            file.tag()
        );
        stream.write_all(head.as_bytes())?;
        if request.is_head {
            return Ok(true);
        }
        match fault {
            Some(Fault::Truncated(kept)) => {
                self.send(stream, &file.bytes, range.start..range.end.min(range.start + kept), in_flight)?;
                Ok(false)
            }
            Some(Fault::StallInBody(pause)) => {
                let middle = range.start + len / 2;
                stream.write_all(&file.bytes[range.start as usize..middle as usize])?;
                self.traffic.sent(middle - range.start);
                std::thread::sleep(pause);
                self.send(stream, &file.bytes, middle..range.end, in_flight).map(|()| true)
            }
            _ => self.send(stream, &file.bytes, range, in_flight).map(|()| true),
        }
    }

    /// Sends a body. The request ends before its last bytes are sent, because the client may make the next one as soon as
    /// it has them.
    fn send(
        &self,
        stream: &mut TcpStream,
        bytes: &Bytes,
        range: Range<u64>,
        in_flight: InFlight<'_>,
    ) -> io::Result<()> {
        let mut in_flight = Some(in_flight);
        let mut pieces = bytes[range.start as usize..range.end as usize].chunks(SENT_BYTES).peekable();
        while let Some(piece) = pieces.next() {
            // Counted first, for the same reason.
            self.traffic.sent(piece.len() as u64);
            std::thread::sleep(self.link.transfer(piece.len() as u64));
            if pieces.peek().is_none() {
                in_flight.take();
            }
            stream.write_all(piece)?;
        }
        Ok(())
    }
}

/// Sends a response without a body.
fn empty(stream: &mut TcpStream, status: u16, header: &str) -> io::Result<bool> {
    write!(stream, "HTTP/1.1 {status} Simulated\r\nContent-Length: 0\r\n{header}\r\n")?;
    Ok(true)
}
