//! Servers that redirect to a login, as those of Earthdata do: the login is sent to its own host only, and found again when
//! it has expired. And the credentials of AWS profiles ([`profiles`]).

#[path = "login/profiles.rs"]
mod profiles;

use hyperslab_io::{Cancel, Source, fetch_all};
use hyperslab_remote::{RemoteFile, RemoteOptions};
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// The head of a request: its first line, and its headers with names in lower case.
#[derive(Debug, Clone, Default)]
struct Head {
    path: String,
    headers: Vec<(String, String)>,
}

impl Head {
    fn read(stream: &TcpStream) -> Option<Self> {
        let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
        let path = lines.next()?.split(' ').nth(1)?.to_string();
        let headers = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
            line.split_once(':').map(|(name, value)| (name.to_lowercase(), value.trim().to_string()))
        });
        Some(Self { path, headers: headers.collect() })
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| &**value)
    }
}

type Requests = Arc<Mutex<Vec<Head>>>;

/// A server whose responses (status line, headers, body) are made by `respond`. Its address, and its requests.
fn serve(host: &str, respond: impl Fn(&Head) -> (String, Vec<u8>) + Send + 'static) -> (String, Requests) {
    let listener = TcpListener::bind((host, 0)).unwrap();
    let (address, requests) = (listener.local_addr().unwrap(), Requests::default());
    let seen = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let Some(head) = Head::read(&stream) else { continue };
            seen.lock().unwrap().push(head.clone());
            let (head, body) = respond(&head);
            let mut stream = stream;
            let _ =
                write!(stream, "HTTP/1.1 {head}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
            let _ = stream.write_all(&body);
        }
    });
    (format!("http://{address}"), requests)
}

fn content() -> Vec<u8> {
    (0..50_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// The response with the requested range of the content.
fn range(head: &Head) -> (String, Vec<u8>) {
    let content = content();
    let (first, last) =
        head.header("range").unwrap().strip_prefix("bytes=").unwrap().split_once('-').unwrap();
    let (first, last) = (first.parse().unwrap(), last.parse::<usize>().unwrap().min(content.len() - 1));
    let headers = format!(
        "206 Partial Content\r\nETag: \"a\"\r\nContent-Range: bytes {first}-{last}/{}\r\n",
        content.len()
    );
    (headers, content[first..=last].to_vec())
}

fn redirect(to: &str, header: &str) -> (String, Vec<u8>) {
    (format!("302 Found\r\nLocation: {to}\r\n{header}"), Vec::new())
}

/// The three servers of such a file: of the data, of the login, and of the bytes, whose URLs are signed. The signature
/// `stamp` is the one that is valid now.
struct Site {
    data: (String, Requests),
    login: (String, Requests),
    bytes: (String, Requests),
    stamp: Arc<Mutex<u32>>,
}

fn site() -> Site {
    let stamp = Arc::new(Mutex::new(1));
    let valid = stamp.clone();
    let bytes = serve("127.0.0.1", move |head| {
        match head.path == format!("/signed?stamp={}", valid.lock().unwrap()) {
            true => range(head),
            false => ("403 Forbidden\r\n".into(), b"<Error><Code>AccessDenied</Code></Error>".to_vec()),
        }
    });
    // The login has another host name, `localhost`.
    let data_address = Arc::new(Mutex::new(String::new()));
    let back = data_address.clone();
    let login = serve("127.0.0.1", move |head| match head.header("authorization") {
        // user:password
        Some("Basic dXNlcjpwYXNzd29yZA==") => {
            redirect(&format!("{}/callback?code=1", back.lock().unwrap()), "")
        }
        _ => ("401 Unauthorized\r\n".into(), Vec::new()),
    });
    let login = (login.0.replace("127.0.0.1", "localhost"), login.1);
    let (to_login, to_bytes, valid) = (login.0.clone(), bytes.0.clone(), stamp.clone());
    let data = serve("127.0.0.1", move |head| match (&*head.path, head.header("cookie")) {
        ("/callback?code=1", _) => redirect("/f.h5", "Set-Cookie: session=1; Path=/\r\n"),
        ("/f.h5", Some("session=1")) => {
            redirect(&format!("{to_bytes}/signed?stamp={}", valid.lock().unwrap()), "")
        }
        _ => redirect(&format!("{to_login}/oauth/authorize"), ""),
    });
    *data_address.lock().unwrap() = data.0.clone();
    Site { data, login, bytes, stamp }
}

/// Reads the file through a site. Run in a process of its own, because the logins are named by the environment.
fn read_through_site(site: &Site) {
    let mut options = RemoteOptions::default();
    options.first_bytes = 1000;
    options.headers = vec![("X-Token".into(), "secret".into())];
    let file = RemoteFile::open(&format!("{}/f.h5", site.data.0), options).unwrap();
    assert_eq!(file.len(), 50_000);
    let read = |start: u64| {
        let found = fetch_all(&file, std::slice::from_ref(&(start..start + 10)), &Cancel::never()).unwrap();
        assert_eq!(found[0], content()[start as usize..start as usize + 10]);
    };
    let count = |requests: &Requests| requests.lock().unwrap().len();
    read(2000);
    assert_eq!(
        (count(&site.data.1), count(&site.login.1), count(&site.bytes.1)),
        (3, 1, 2),
        "logged in once"
    );
    *site.stamp.lock().unwrap() = 2;
    read(3000);
    read(4000);
    assert_eq!((count(&site.data.1), count(&site.login.1), count(&site.bytes.1)), (4, 1, 5), "signed again");
    let heads = |requests: &Requests| requests.lock().unwrap().clone();
    for head in heads(&site.data.1) {
        assert!(
            head.header("authorization").is_none() && head.header("x-token") == Some("secret"),
            "{head:?}"
        );
    }
    for head in heads(&site.login.1).into_iter().chain(heads(&site.bytes.1)) {
        assert!(head.header("x-token").is_none(), "{head:?}");
    }
    for head in heads(&site.bytes.1) {
        assert!(head.header("authorization").is_none(), "{head:?}");
    }
}

const CHILD: &str = "HYPERSLAB_TEST_LOGIN";

#[test]
fn a_login_is_sent_to_its_host_only_and_repeated_when_it_expires() {
    if std::env::var_os(CHILD).is_some() {
        return read_through_site(&site());
    }
    let netrc = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(netrc.path(), "machine localhost login user password password\n").unwrap();
    let netrc = netrc.path().to_str().unwrap();
    in_child("a_login_is_sent_to_its_host_only_and_repeated_when_it_expires", &[("NETRC", netrc)]);
}

/// Runs a test of this program in a process of its own, with these variables, and without those of AWS.
fn in_child(test: &str, variables: &[(&str, &str)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("AWS_")) {
            command.env_remove(name);
        }
    }
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1").envs(variables.iter().copied());
    let output = command.output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn without_a_login_the_error_says_where_to_put_it() {
    let login =
        serve("127.0.0.1", |_| ("200 OK\r\nContent-Type: text/html\r\n".into(), b"<html>user".to_vec()));
    let at = login.0.replace("127.0.0.1", "localhost");
    let data = serve("127.0.0.1", move |_| redirect(&at, ""));
    let error =
        RemoteFile::open(&format!("{}/f.h5?key=secret", data.0), RemoteOptions::default()).err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
    let text = error.to_string();
    assert!(text.contains("redirects to a login at localhost; add `machine localhost login"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn circles_and_strange_redirections_are_errors() {
    for (to, why) in [
        ("/again", "redirects more than 10 times"),
        ("ftp://host/f.h5", "redirects to an invalid URL"),
        ("", "redirects more than 10 times"),
    ] {
        let server = serve("127.0.0.1", move |_| redirect(to, ""));
        let error = RemoteFile::open(&format!("{}/f.h5", server.0), RemoteOptions::default()).err().unwrap();
        assert!(error.to_string().contains(why), "{to}: {error}");
        assert!(server.1.lock().unwrap().len() <= 11);
    }
}

#[test]
fn redirected_requests_count_towards_the_limit() {
    // The limit is of the process, in which other tests make requests, too.
    if std::env::var_os(CHILD).is_none() {
        return in_child("redirected_requests_count_towards_the_limit", &[]);
    }
    let last = serve("127.0.0.1", range);
    let to = format!("{}/f.h5", last.0);
    let first =
        serve("127.0.0.1", move |head| redirect(if head.path == "/f.h5" { "/g.h5" } else { &to }, ""));
    let open = |requests_max| {
        let mut options = RemoteOptions::default();
        options.requests_max = Some(requests_max);
        RemoteFile::open(&format!("{}/f.h5", first.0), options)
    };
    let made = || first.1.lock().unwrap().len() + last.1.lock().unwrap().len();
    let error = open(2).err().unwrap();
    assert!(error.to_string().contains("2 requests were made, as many as allowed"), "{error}");
    assert_eq!(made(), 2);
    assert_eq!(open(5).unwrap().len(), 50_000);
    assert_eq!((made(), hyperslab_remote::traffic().requests), (5, 5));
}
