//! `docs/check.md` is the text of the rules. `HYPERSLAB_UPDATE=1` writes it anew.

#[test]
fn the_page_has_all_rules() {
    let path = hyperslab_testkit::files::workspace().join("docs/check.md");
    let page = hyperslab_check::page();
    if std::env::var_os("HYPERSLAB_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(stored, page, "docs/check.md is not up to date");
}
