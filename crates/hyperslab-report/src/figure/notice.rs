//! A remark about something, how much it matters, and what can be done about it: each choice with the values that it
//! changes and the lines to paste.

use super::changes::Changes;
use super::table::command;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};

/// A remark with choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// How much it matters.
    pub level: Level,
    /// The title.
    pub title: String,
    /// What it is about: the name of an object.
    pub place: String,
    /// The remark, in sentences.
    pub text: String,
    /// What it costs, in small print.
    pub cost: String,
    /// What the choices change, if that is known.
    pub changes: Option<Changes>,
    /// What can be done.
    pub choices: Vec<Choice>,
}

/// How much a remark matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// One thing that can be done.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What it is.
    pub title: String,
    /// What the reader must know before choosing it; may be empty.
    pub warning: String,
    /// The name of a tool, and the line for it.
    pub lines: Vec<(String, String)>,
}

impl Level {
    fn class(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

impl Notice {
    pub(super) fn markup(&self) -> Markup {
        html! {
            figure.notice.(self.level.class()) {
                figcaption {
                    span.level { (self.level.class()) }
                    span.title { (self.title) }
                    @if !self.place.is_empty() { span.place { (self.place) } }
                }
                p.text { (self.text) }
                @if !self.cost.is_empty() { p.cost { (self.cost) } }
                @if let Some(changes) = &self.changes { (changes.markup()) }
                @if !self.choices.is_empty() {
                    details.choices {
                        summary { "Lines to paste" }
                        ol { @for choice in &self.choices { li { (choice.markup()) } } }
                    }
                }
            }
        }
    }
}

impl Choice {
    fn markup(&self) -> Markup {
        html! {
            p.choice { (self.title) }
            @if !self.warning.is_empty() { p.warning { (self.warning) } }
            dl { @for (tool, line) in &self.lines { div { dt { (tool) } dd { (command(line)) } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_says_its_level_in_words_and_keeps_names_as_text() {
        let choice = Choice {
            title: "<i>repack</i>".into(),
            warning: "slower".into(),
            lines: vec![("h5repack".into(), "h5repack 'a<b' out.h5".into())],
        };
        let notice = Notice {
            level: Level::High,
            title: "code".into(),
            place: "/<b>".into(),
            text: "text".into(),
            cost: String::new(),
            changes: None,
            choices: vec![choice],
        };
        let text = notice.markup().into_string();
        assert!(text.contains(r#"class="notice high""#) && text.contains(">high<"), "{text}");
        assert!(text.contains("/&lt;b&gt;") && text.contains("&lt;i&gt;repack") && !text.contains("<i>"));
        assert!(text.contains("a&lt;b") && text.contains(r#"class="warning""#), "{text}");
        assert!(!text.contains(r#"class="cost""#), "nothing is shown of what is empty");
    }
}
