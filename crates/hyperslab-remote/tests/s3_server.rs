//! An S3 server that verifies signatures: versitygw, in the full run, since it is built from source, which takes minutes. What an S3
//! server answers to right requests is tested in `emulators.rs`.
//!
//! ```text
//! go install github.com/versity/versitygw/cmd/versitygw@latest
//! ```

use hyperslab_io::{Cancel, Changed, Location, Source, fetch_all};
use hyperslab_remote::{Files, RemoteFile, RemoteOptions};
use hyperslab_testkit::{Missing, require, scale};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server over a folder, whose subfolders are its buckets. Dropping it ends it.
struct Server {
    child: Child,
    endpoint: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program, in `PATH` or in the folder of `go install`.
fn versitygw() -> Result<PathBuf, Missing> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join("go/bin"));
    let folders = std::env::split_paths(&path).chain(home);
    let found = folders.map(|folder| folder.join("versitygw")).find(|file| file.is_file());
    found.ok_or_else(|| Missing::new("versitygw is not installed"))
}

fn start(program: &Path, folder: &Path) -> Server {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let child = Command::new(program)
        .args(["--access", "user", "--secret", "password", "--port", &address, "posix", "--sidecar"])
        .arg(folder.join("attributes"))
        .arg(folder.join("buckets"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the server starts");
    let server = Server { child, endpoint: format!("http://{address}") };
    let began = Instant::now();
    while TcpStream::connect(&address).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "the server does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
    server
}

fn options(server: &Server, secret: &str) -> RemoteOptions {
    let mut options = RemoteOptions::default();
    options.first_bytes = 1 << 10;
    options.attempts = 2;
    let pairs =
        [("endpoint_url", &*server.endpoint), ("key", "user"), ("secret", secret), ("region", "us-east-1")];
    options.store = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    options
}

#[test]
fn signed_requests_are_accepted_and_others_are_not() {
    if !scale().is_full() {
        return;
    }
    let program = require!(versitygw());
    let folder = tempfile::tempdir().unwrap();
    for name in ["attributes", "buckets/bucket/a b"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let content: Vec<u8> = (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let path = folder.path().join("buckets/bucket/a b/c+d.h5");
    std::fs::write(&path, &content).unwrap();
    let server = start(&program, folder.path());
    let url = "s3://bucket/a b/c+d.h5";

    let file = RemoteFile::open(url, options(&server, "password")).unwrap();
    assert_eq!(file.len(), 100_000);
    let ranges: Vec<_> = (0..300).map(|i| 2000 + i * 300..2000 + i * 300 + i + 1).collect();
    for (range, found) in ranges.iter().zip(fetch_all(&file, &ranges, &Cancel::never()).unwrap()) {
        assert_eq!(found, content[range.start as usize..range.end as usize]);
    }

    let refused = RemoteFile::open(url, options(&server, "wrong")).err().unwrap();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    let text = refused.to_string();
    assert!(text.contains("SignatureDoesNotMatch") && !text.contains("wrong"), "{text}");
    let missing = RemoteFile::open("s3://bucket/none.h5", options(&server, "password")).err().unwrap();
    assert_eq!(missing.kind(), std::io::ErrorKind::NotFound, "{missing}");
    assert!(missing.to_string().contains("NoSuchKey"), "{missing}");

    let files = Files::new(options(&server, "password"));
    std::fs::write(folder.path().join("buckets/bucket/a b/other.nc"), "x").unwrap();
    std::fs::write(folder.path().join("buckets/bucket/elsewhere.h5"), "x").unwrap();
    let listed = files.list(&Location::from("s3://bucket/a b/")).unwrap();
    assert_eq!(listed, [url, "s3://bucket/a b/other.nc"]);
    assert_eq!(files.list(&Location::from("s3://bucket/")).unwrap().len(), 3);
    assert_eq!(files.list(&Location::from("s3://bucket/none/")).unwrap(), [""; 0]);
    let refused = Files::new(options(&server, "wrong")).list(&Location::from("s3://bucket/")).unwrap_err();
    assert!(refused.to_string().starts_with("s3://bucket/: "), "{refused}");

    std::fs::write(&path, &content[..90_000]).unwrap();
    let changed = fetch_all(&file, &ranges[..1], &Cancel::never()).unwrap_err();
    assert!(changed.get_ref().is_some_and(|error| error.is::<Changed>()), "{changed}");
}
