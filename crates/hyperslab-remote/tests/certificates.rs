//! A site's own certificate authority, which `SSL_CERT_FILE` names. The certificates are made by `openssl`.

use hyperslab_remote::{RemoteFile, RemoteOptions};
use hyperslab_testkit::{Missing, require};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Makes an authority (`ca.pem`), and a certificate for `localhost` that it has signed (`leaf.pem`, `leaf.key`).
fn make_certificates(folder: &Path) -> Result<(), Missing> {
    let missing = |error: std::io::Error| Missing::new(format!("openssl cannot be run: {error}"));
    Command::new("openssl").arg("version").output().map_err(missing)?;
    std::fs::write(folder.join("extensions"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
        .unwrap();
    for arguments in [
        "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=authority",
        "req -newkey rsa:2048 -nodes -keyout leaf.key -out leaf.csr -subj /CN=localhost",
        "x509 -req -in leaf.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out leaf.pem -days 2 -extfile extensions",
    ] {
        let output = Command::new("openssl").args(arguments.split(' ')).current_dir(folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

/// Serves a file of 1,000 bytes with these certificates. Returns its URL.
fn serve(folder: &Path) -> String {
    let certificates = CertificateDer::pem_file_iter(folder.join("leaf.pem")).unwrap();
    let certificates: Vec<_> = certificates.collect::<Result<_, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_file(folder.join("leaf.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(certificates, key).unwrap());
    let listener = TcpListener::bind(("localhost", 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut reader = BufReader::new(StreamOwned::new(connection, stream));
            // A client that does not trust the certificate ends the connection.
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let head =
                "HTTP/1.1 206 Partial Content\r\nContent-Length: 1000\r\nContent-Range: bytes 0-999/1000\r\n";
            let stream = reader.get_mut();
            let _ =
                write!(stream, "{head}Connection: close\r\n\r\n").and_then(|()| stream.write_all(&[7; 1000]));
            let _ = stream.flush();
        }
    });
    format!("https://localhost:{port}/f.h5")
}

const CHILD: &str = "HYPERSLAB_TEST_CERTIFICATES";
const NAME: &str = "the_authority_of_a_site_is_trusted_if_it_is_named";

#[test]
fn the_authority_of_a_site_is_trusted_if_it_is_named() {
    if let Some(url) = std::env::var_os(CHILD) {
        match RemoteFile::open(url.to_str().unwrap(), RemoteOptions::default()) {
            Ok(file) => println!("opened {:?}", file.version().len),
            Err(error) => println!("refused: {error}"),
        }
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    require!(make_certificates(folder.path()));
    let url = serve(folder.path());
    let open = |authority: Option<&Path>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", NAME, "--nocapture"]).env(CHILD, &url).env_remove("SSL_CERT_DIR");
        authority.map(|path| command.env("SSL_CERT_FILE", path));
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let trusted = open(Some(&folder.path().join("ca.pem")));
    assert!(trusted.contains("opened 1000"), "{trusted}");
    let unknown = open(None);
    assert!(unknown.contains("refused: ") && unknown.contains("certificate"), "{unknown}");
}
