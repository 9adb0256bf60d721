//! A server of S3's protocol, and the emulators of Azure Blob Storage and of Google Cloud Storage, if they
//! are installed.
//!
//! ```text
//! npm install --global s3rver azurite
//! go install github.com/fsouza/fake-gcs-server@latest
//! ```

use hyperslab_io::{Cancel, Changed, Location, Source, fetch_all};
use hyperslab_remote::{Files, RemoteFile, RemoteOptions};
use hyperslab_testkit::{Missing, require, scale};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running server. Dropping it ends it.
struct Server {
    child: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program in `PATH`, or in one of these folders of the home folder.
fn installed(name: &str) -> Result<PathBuf, Missing> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let folders =
        std::env::split_paths(&path).chain([home.join("go/bin"), home.join(".local/node_modules/.bin")]);
    let found = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| Missing::new(format!("{name} is not installed")))
}

fn start(program: &Path, arguments: impl Fn(u16) -> Vec<String>) -> Server {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let mut command = Command::new(program);
    let child = command.args(arguments(port)).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let server = Server { child: child.expect("the server starts"), address: format!("127.0.0.1:{port}") };
    let began = Instant::now();
    while TcpStream::connect(&server.address).is_err() {
        assert!(began.elapsed() < Duration::from_secs(30), "the server does not listen");
        std::thread::sleep(Duration::from_millis(50));
    }
    server
}

fn content(seed: u32) -> Vec<u8> {
    (0..100_000u32).map(|i| ((i ^ seed).wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn options(store: &[(&str, &str)]) -> RemoteOptions {
    let mut options = RemoteOptions::default();
    (options.first_bytes, options.attempts) = (1 << 10, 3);
    options.store = store.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    options
}

/// Reads ranges, lists, and reads a missing object. Returns the open file.
fn check(folder: &str, options: &RemoteOptions) -> RemoteFile {
    let url = format!("{folder}a b/c+d.h5");
    let file = RemoteFile::open(&url, options.clone()).unwrap();
    assert_eq!(file.len(), 100_000);
    let ranges: Vec<Range<u64>> = (0..100).map(|i| 2000 + i * 300..2000 + i * 300 + i + 1).collect();
    for (range, found) in ranges.iter().zip(fetch_all(&file, &ranges, &Cancel::never()).unwrap()) {
        assert_eq!(found, content(0)[range.start as usize..range.end as usize]);
    }
    let listed = Files::new(options.clone()).list(&Location::from(format!("{folder}a b/"))).unwrap();
    assert_eq!(listed, [url]);
    let missing = RemoteFile::open(&format!("{folder}none.h5"), options.clone()).err().unwrap();
    assert_eq!(missing.kind(), std::io::ErrorKind::NotFound, "{missing}");
    file
}

fn check_changed(file: &RemoteFile) {
    let range = 50_000..50_010;
    let changed = fetch_all(file, std::slice::from_ref(&range), &Cancel::never()).unwrap_err();
    assert!(changed.get_ref().is_some_and(|error| error.is::<Changed>()), "{changed}");
}

/// The account and the key that S3rver has.
const S3RVER: &str = "S3RVER";

#[test]
fn objects_of_s3_are_read() {
    let program = require!(installed("s3rver"));
    let folder = tempfile::tempdir().unwrap();
    let bucket = folder.path().join("bucket");
    fs::create_dir_all(bucket.join("a b")).unwrap();
    let write = |name: &str, content: &[u8]| {
        let path = bucket.join(format!("{name}._S3rver_object"));
        fs::write(&path, content).unwrap();
        // The server keeps the checksum that is its ETag beside the object.
        let _ = fs::remove_file(path.with_extension("_S3rver_object.md5"));
    };
    write("a b/c+d.h5", &content(0));
    let server = start(&program, |port| {
        let (port, folder) = (port.to_string(), folder.path().to_str().unwrap());
        let words = ["--directory", folder, "--address", "127.0.0.1", "--port", &port, "--silent"];
        words.into_iter().chain(["--no-vhost-buckets"]).map(str::to_string).collect()
    });
    let endpoint = format!("http://{}", server.address);
    // This server knows its accounts, but does not verify signatures: see `s3_server.rs`.
    let with = |key| {
        options(&[("endpoint_url", &endpoint), ("key", key), ("secret", S3RVER), ("region", "us-east-1")])
    };
    let file = check("s3://bucket/", &with(S3RVER));
    let url = "s3://bucket/a b/c+d.h5";

    let refused = RemoteFile::open(url, with("wrong")).err().unwrap();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    let text = refused.to_string();
    assert!(text.contains("InvalidAccessKeyId") && !text.contains(S3RVER), "{text}");
    let missing = RemoteFile::open("s3://bucket/none.h5", with(S3RVER)).err().unwrap();
    assert!(missing.to_string().contains("NoSuchKey"), "{missing}");

    let files = Files::new(with(S3RVER));
    write("a b/other.nc", b"x");
    write("elsewhere.h5", b"x");
    let listed = files.list(&Location::from("s3://bucket/a b/")).unwrap();
    assert_eq!(listed, [url, "s3://bucket/a b/other.nc"]);
    assert_eq!(files.list(&Location::from("s3://bucket/")).unwrap().len(), 3);
    assert_eq!(files.list(&Location::from("s3://bucket/none/")).unwrap(), [""; 0]);
    let refused = Files::new(with("wrong")).list(&Location::from("s3://bucket/")).unwrap_err();
    assert!(refused.to_string().starts_with("s3://bucket/: "), "{refused}");

    write("a b/c+d.h5", &content(1));
    check_changed(&file);
}

/// In the full run: the emulator is built from source, which takes minutes. The requests themselves are tested in `stores.rs`.
#[test]
fn objects_of_google_cloud_storage_are_read() {
    if !scale().is_full() {
        return;
    }
    let program = require!(installed("fake-gcs-server"));
    let folder = tempfile::tempdir().unwrap();
    let object = folder.path().join("bucket/a b/c+d.h5");
    fs::create_dir_all(object.parent().unwrap()).unwrap();
    fs::write(&object, content(0)).unwrap();
    let server = start(&program, |port| {
        let root = folder.path().to_str().unwrap();
        let port = port.to_string();
        let host = format!("127.0.0.1:{port}");
        let words = ["-scheme", "http", "-host", "127.0.0.1", "-port", &port, "-public-host", &host];
        let words = words.into_iter().chain(["-backend", "memory", "-data", root]);
        words.map(str::to_string).collect()
    });
    let endpoint = format!("http://{}", server.address);
    let file = check("gs://bucket/", &options(&[("endpoint_url", &endpoint), ("token", "anon")]));
    // This server does not look at `If-Match`.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let target = "/upload/storage/v1/b/bucket/o?uploadType=media&name=a%20b/c%2Bd.h5";
    let head = format!(
        "POST {target} HTTP/1.1\r\nHost: {}\r\nContent-Length: 100000\r\nConnection: close\r\n\r\n",
        server.address
    );
    stream.write_all(&[head.as_bytes(), &content(1)].concat()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    check_changed(&file);
}

/// The account and the key that Azurite has.
const ACCOUNT: &str = "devstoreaccount1";
const KEY: &str = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Makes the container and an object in it: with Node.js, without which there is no Azurite.
const UPLOAD: &str = r#"
const crypto = require('crypto'), http = require('http'), fs = require('fs');
const [host, account, key, file] = process.argv.slice(1);
function put(path, query, headers, body) {
  headers = {...headers, 'x-ms-date': new Date().toUTCString(), 'x-ms-version': '2021-08-06'};
  const own = Object.keys(headers).filter(name => name.startsWith('x-ms-')).sort().map(name => `${name}:${headers[name]}\n`);
  const resource = `/${account}/${account}${path}` + (query ? `\n${query.replace('=', ':')}` : '');
  const text = `PUT\n\n\n${body.length || ''}\n\n\n\n\n\n\n\n\n${own.join('')}${resource}`;
  const signature = crypto.createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
  headers = {...headers, 'Content-Length': body.length, Authorization: `SharedKey ${account}:${signature}`};
  const [hostname, port] = host.split(':');
  return new Promise((resolve, reject) => {
    const url = `/${account}${path}` + (query ? `?${query}` : '');
    const request = http.request({hostname, port, method: 'PUT', path: url, headers}, response => {
      response.resume();
      response.on('end', () => [201, 409].includes(response.statusCode) ? resolve() : reject(new Error(`status ${response.statusCode}`)));
    });
    request.on('error', reject);
    request.end(body);
  });
}
put('/container', 'restype=container', {}, Buffer.alloc(0))
  .then(() => put('/container/a%20b/c%2Bd.h5', '', {'x-ms-blob-type': 'BlockBlob'}, fs.readFileSync(file)))
  .catch(error => { console.error(error); process.exit(1); });
"#;

#[test]
fn objects_of_azure_are_read_with_a_key() {
    let program = require!(installed("azurite-blob"));
    let node = require!(installed("node"));
    let folder = tempfile::tempdir().unwrap();
    let server = start(&program, |port| {
        let (port, folder) = (port.to_string(), folder.path().to_str().unwrap());
        let words = ["--blobPort", &port, "--location", folder, "--silent", "--skipApiVersionCheck"];
        words.into_iter().map(str::to_string).collect()
    });
    let upload = |seed: u32| {
        let file = folder.path().join("upload");
        fs::write(&file, content(seed)).unwrap();
        let mut command = Command::new(&node);
        let output = command.args(["-e", UPLOAD, &server.address, ACCOUNT, KEY]).arg(file).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    upload(0);
    let endpoint = format!("http://{}/{ACCOUNT}", server.address);
    let store = [("endpoint_url", &*endpoint), ("account_name", ACCOUNT), ("account_key", KEY)];
    let file = check("az://container/", &options(&store));
    upload(1);
    check_changed(&file);
    let wrong = "d3Jvbmc=";
    let wrong = options(&[("endpoint_url", &*endpoint), ("account_name", ACCOUNT), ("account_key", wrong)]);
    let refused = RemoteFile::open("az://container/a b/c+d.h5", wrong).err().unwrap();
    assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied, "{refused}");
    assert!(!refused.to_string().contains("d3Jvbmc"), "{refused}");
}
