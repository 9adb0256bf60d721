//! Credentials that an AWS profile describes: roles, single sign-on and programs, with a local server in place of the
//! services of AWS. It checks which keys sign a request, not the signature.

use crate::{CHILD, Head, in_child, range, serve};
use hyperslab_io::{Cancel, Source, fetch_all};
use hyperslab_remote::{RemoteFile, RemoteOptions};

const CONFIG: &str = r#"
[profile role]
role_arn = arn:aws:iam::1:role/reader
source_profile = keys
external_id = a b&c
[profile short]
role_arn = arn:aws:iam::1:role/short
source_profile = keys
[profile chain]
role_arn = arn:aws:iam::2:role/second
source_profile = role
[profile denied]
role_arn = arn:aws:iam::1:role/denied
source_profile = keys
[profile from-environment]
role_arn = arn:aws:iam::1:role/environment
credential_source = Environment
[sso-session company]
sso_region = us-east-1
sso_start_url = https://company.awsapps.com/start
[profile sso]
sso_session = company
sso_account_id = 123
sso_role_name = Reader
[profile logged-out]
sso_region = us-east-1
sso_start_url = https://other.awsapps.com/start
sso_account_id = 123
sso_role_name = Reader
[profile program]
credential_process = /bin/echo '{"Version": 1, "AccessKeyId": "PROGRAM", "SecretAccessKey": "secret", "SessionToken": "program"}'
[profile broken-program]
credential_process = /bin/echo nothing
"#;

/// The identity with which a request is signed: the key, and the service.
fn signer(head: &Head) -> Option<(String, String)> {
    let credential = head.header("authorization")?.strip_prefix("AWS4-HMAC-SHA256 Credential=")?;
    let mut parts = credential.split(',').next()?.split('/');
    let (key, service) = (parts.next()?, parts.nth(2)?);
    Some((key.into(), service.into()))
}

/// The services of AWS.
fn respond(head: &Head) -> (String, Vec<u8>) {
    let ok = |body: String| ("200 OK\r\n".to_string(), body.into_bytes());
    let refused = |body: &str| ("403 Forbidden\r\n".to_string(), body.as_bytes().to_vec());
    if let Some(query) = head.path.strip_prefix("/?") {
        let (key, service) = signer(head).expect("signed");
        assert_eq!(service, "sts", "{head:?}");
        let role = query.split("role%2F").nth(1).unwrap().split('&').next().unwrap();
        assert!(query.contains("Action=AssumeRole&Version=2011-06-15"), "{query}");
        assert_eq!(query.contains("ExternalId=a+b%26c"), role == "reader", "{query}");
        let expected = match role {
            "second" => "reader-of-KEYS",
            "environment" => "ENVIRONMENT",
            _ => "KEYS",
        };
        assert_eq!(key, expected, "{head:?}");
        if role == "denied" {
            return refused(
                "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>not authorized</Message></Error></ErrorResponse>",
            );
        }
        let expires = if role == "short" { "2000-01-01T00:00:00Z" } else { "2100-01-01T00:00:00Z" };
        return ok(format!(
            "<AssumeRoleResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><AssumedRoleUser>\
             <Arn>a</Arn></AssumedRoleUser><Credentials><AccessKeyId>{role}-of-{key}</AccessKeyId><SecretAccessKey>x/+=\
             </SecretAccessKey><SessionToken>{role}</SessionToken><Expiration>{expires}</Expiration></Credentials>\
             </AssumeRoleResult></AssumeRoleResponse>"
        ));
    }
    if head.path.starts_with("/federation/credentials") {
        assert_eq!(head.path, "/federation/credentials?role_name=Reader&account_id=123");
        assert_eq!(head.header("x-amz-sso_bearer_token"), Some("bearer"));
        return ok(r#"{"roleCredentials": {"accessKeyId": "SSO", "secretAccessKey": "s", "sessionToken": "sso", "expiration": 4102444800000}}"#.into());
    }
    assert_eq!(head.path, "/bucket/f.h5");
    range(head)
}

/// Opens the file with each profile, and reads it.
fn read_with_profiles() {
    let open = |profile: &str| {
        let mut options = RemoteOptions::default();
        options.first_bytes = 1000;
        options.attempts = 1;
        options.store = vec![("profile".into(), profile.into())];
        RemoteFile::open("s3://bucket/f.h5", options)
    };
    for profile in ["role", "role", "short", "chain", "sso", "program", "from-environment"] {
        let file = open(profile).unwrap();
        let found = fetch_all(&file, std::slice::from_ref(&(2000..2010)), &Cancel::never()).unwrap();
        assert_eq!((file.len(), &found[0][..]), (50_000, &crate::content()[2000..2010]), "{profile}");
    }
    for (profile, why) in [
        ("denied", "AccessDenied: not authorized"),
        ("logged-out", "run `aws sso login --profile logged-out`"),
        ("broken-program", "the output of credential_process"),
    ] {
        let error = open(profile).err().unwrap().to_string();
        assert!(error.contains(why) && error.contains("s3://bucket/f.h5"), "{profile}: {error}");
        assert!(!error.contains("hidden"), "{profile}: {error}");
    }
}

#[test]
fn credentials_of_profiles_are_obtained_once_and_again_when_they_expire() {
    if std::env::var_os(CHILD).is_some() {
        return read_with_profiles();
    }
    let home = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = home.path().join(".aws").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("config", CONFIG);
    write("credentials", "[keys]\naws_access_key_id = KEYS\naws_secret_access_key = hidden\n");
    let token = r#"{"startUrl": "https://company.awsapps.com/start", "accessToken": "bearer", "expiresAt": "2100-01-01T00:00:00Z"}"#;
    write("sso/cache/d033e22ae348aeb5660fc2140aec35850c4da997.json", token);
    let (address, requests) = serve("127.0.0.1", respond);
    in_child(
        "profiles::credentials_of_profiles_are_obtained_once_and_again_when_they_expire",
        &[
            ("HOME", home.path().to_str().unwrap()),
            ("AWS_ENDPOINT_URL", &address),
            ("AWS_ACCESS_KEY_ID", "ENVIRONMENT"),
            ("AWS_SECRET_ACCESS_KEY", "hidden"),
        ],
    );
    let requests = requests.lock().unwrap().clone();
    let of_role =
        |role: &str| requests.iter().filter(|head| head.path.contains(&format!("role%2F{role}&"))).count();
    assert_eq!(
        (of_role("reader"), of_role("second"), of_role("environment")),
        (2, 1, 1),
        "once for `role`, once for `chain`"
    );
    assert_eq!(of_role("short"), 2, "for the first request, and for the read");
    assert_eq!(requests.iter().filter(|head| head.path.starts_with("/federation")).count(), 1);
    let signers: Vec<String> = requests
        .iter()
        .filter(|head| head.path == "/bucket/f.h5")
        .map(|head| {
            let (key, service) = signer(head).unwrap();
            assert_eq!(service, "s3");
            format!("{key} {}", head.header("x-amz-security-token").unwrap())
        })
        .collect();
    let expected = [
        "reader-of-KEYS reader",
        "reader-of-KEYS reader",
        "short-of-KEYS short",
        "second-of-reader-of-KEYS second",
        "SSO sso",
        "PROGRAM program",
        "environment-of-ENVIRONMENT environment",
    ];
    assert_eq!(signers, expected.iter().flat_map(|signer| [*signer, *signer]).collect::<Vec<_>>());
}
