//! A page as one HTML file that contains its style, scripts and figures, and a policy that prevents any request.

use crate::page::{Page, Section};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("assets/page.css");
const SCRIPT: &str = include_str!("assets/page.js");
/// The published uPlot 1.6.32; its licence is `assets/uPlot.LICENSE`.
const PLOT_STYLE: &str = include_str!("assets/uPlot.min.css");
const PLOT_SCRIPT: &str = include_str!("assets/uPlot.iife.min.js");
const PLOT_LICENCE: &str = include_str!("assets/uPlot.LICENSE");

/// Nothing is loaded from elsewhere, whatever the page contains.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

impl Page {
    /// Renders the page as one HTML file.
    pub fn html(&self) -> String {
        page(self)
    }
}

fn page(page: &Page) -> String {
    let has_curves = page.sections.iter().flat_map(|section| &section.figures).any(is_curves);
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (page.title) }
                // Without an icon of its own a browser would request one.
                link rel="icon" href="data:,";
                style { @if has_curves { (PreEscaped(PLOT_STYLE)) } (PreEscaped(STYLE)) }
            }
            body {
                (head(page))
                main { @for (number, section) in page.sections.iter().enumerate() { (self::section(number, section)) } }
                footer { (page.foot) }
                @if has_curves {
                    (PreEscaped(format!("<!-- uPlot\n{PLOT_LICENCE}\n-->")))
                    script { (PreEscaped(PLOT_SCRIPT)) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

fn is_curves(figure: &crate::Figure) -> bool {
    matches!(figure, crate::Figure::Curves(_))
}

fn head(page: &Page) -> Markup {
    html! {
        header {
            @if !page.topic.is_empty() { p.topic { (page.topic) } }
            h1 { (page.title) }
            @if !page.findings.is_empty() {
                div.findings { @for finding in &page.findings { p { (finding) } } }
            }
            @for text in &page.lead { p.lead { (text) } }
            @if page.sections.len() > 2 {
                nav aria-label="On this page" {
                    ol { @for (number, section) in page.sections.iter().enumerate() {
                        li { a href=(format!("#part-{number}")) { (section.title) } }
                    } }
                }
            }
        }
    }
}

fn section(number: usize, section: &Section) -> Markup {
    html! {
        section id=(format!("part-{number}")) {
            h2 { (section.title) }
            @for text in &section.text { p.text { (text) } }
            div.figures { @for figure in &section.figures { (figure.markup()) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Align, Axis, Column, Curves, Facts, Scale, Table};

    fn table() -> Table {
        Table::new("<t>", vec![Column::new("<c>", Align::Command)]).row(["<script>alert(1)</script>"])
    }

    #[test]
    fn names_from_files_stay_text() {
        let title = "<img src=x>";
        let text = Page { findings: vec!["<b>".into()], ..Page::new(title) }
            .section(
                Section::new("<s>").text("<p>").figure(table()).figure(Facts::new("<f>").fact("<n>", "<v>")),
            )
            .html();
        for raw in ["<img", "<b>", "<t>", "<c>", "<s>", "<f>", "<n>", "<v>", "<script>alert"] {
            assert!(!text.contains(raw), "{raw}");
        }
    }

    #[test]
    fn nothing_is_fetched_and_nothing_is_empty() {
        let page = Page::new("t").section(Section::new("none")).section(Section::new("one").figure(table()));
        let text = page.html();
        assert!(text.contains(POLICY), "the policy is there");
        assert!(!text.contains(">none<") && text.contains(">one<"));
        assert!(!text.contains("var uPlot="), "a page without curves has no library for them");
        for fetched in ["src=\"http", "href=\"http", "url(http", "@import"] {
            assert!(!text.contains(fetched), "{fetched}");
        }
    }

    #[test]
    fn curves_bring_their_library_and_its_licence() {
        let axis = || Axis::over("", Scale::Log10, [1.0], |_| String::new());
        let curves = Curves { title: "c".into(), x: axis(), y: axis(), lines: Vec::new(), marks: Vec::new() };
        let text = Page::new("t").section(Section::new("s").figure(curves)).html();
        assert!(
            text.contains("var uPlot=") && text.contains("The MIT License") && text.contains("Leon Sorokin")
        );
    }

    #[test]
    fn a_page_can_be_kept_and_drawn_again() {
        let page = Page::new("t").section(Section::new("s").figure(table()));
        let kept = serde_json::to_string(&page).unwrap();
        assert_eq!(serde_json::from_str::<Page>(&kept).unwrap(), page);
    }
}
