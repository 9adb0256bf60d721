//! ODL, the Object Description Language, as HDF-EOS2 uses it: groups and objects within one another, and lines `name=value`.

/// A group or an object.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its values, in their order.
    pub values: Vec<(String, Value)>,
    /// The groups and objects in it.
    pub children: Vec<Node>,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A text or a word.
    Text(String),
    /// A number.
    Number(f64),
    /// Values in parentheses.
    List(Vec<Value>),
}

/// Groups deeper than this are ignored.
const DEPTH_MAX: usize = 32;

impl Node {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The group or object with this name, at any depth.
    pub fn find(&self, name: &str) -> Option<&Node> {
        self.children.iter().find_map(|child| if child.name == name { Some(child) } else { child.find(name) })
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The numbers of a list.
    pub fn numbers(&self, name: &str) -> Vec<f64> {
        let number = |value: &Value| if let Value::Number(number) = value { Some(*number) } else { None };
        self.list(name).iter().filter_map(number).collect()
    }

    /// The texts of a list, or one text.
    pub fn texts(&self, name: &str) -> Vec<String> {
        if let Some(text) = self.text(name) {
            return vec![text.to_string()];
        }
        let text = |value: &Value| if let Value::Text(text) = value { Some(text.clone()) } else { None };
        self.list(name).iter().filter_map(text).collect()
    }

    fn list(&self, name: &str) -> &[Value] {
        match self.get(name) {
            Some(Value::List(values)) => values,
            _ => &[],
        }
    }
}

/// Parses a text. What is not understood is left out: the text describes, it does not say where values are.
pub fn parse(text: &str) -> Node {
    let mut open = vec![Node::default()];
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some((name, value)) = line.trim().trim_end_matches('\0').split_once('=') else { continue };
        let (name, mut value) = (name.trim(), value.trim().to_string());
        match name {
            "GROUP" | "OBJECT" if open.len() <= DEPTH_MAX => {
                open.push(Node { name: unquoted(&value), ..Node::default() });
            }
            "END_GROUP" | "END_OBJECT" if open.len() > 1 => close(&mut open),
            "GROUP" | "OBJECT" | "END_GROUP" | "END_OBJECT" => {}
            _ => {
                // A list may go on in the next lines.
                while value.starts_with('(') && !value.ends_with(')') {
                    let Some(more) = lines.next() else { break };
                    value.push_str(more.trim());
                }
                if let Some(node) = open.last_mut() {
                    node.values.push((name.to_string(), parse_value(&value)));
                }
            }
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().unwrap_or_default()
}

fn close(open: &mut Vec<Node>) {
    if let (Some(done), Some(outer)) = (open.pop(), open.last_mut()) {
        outer.children.push(done);
    }
}

fn parse_value(text: &str) -> Value {
    if let Some(inner) = text.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
        return Value::List(parts(inner).into_iter().map(|part| parse_scalar(part.trim())).collect());
    }
    parse_scalar(text)
}

fn parse_scalar(text: &str) -> Value {
    match text.parse() {
        Ok(number) => Value::Number(number),
        Err(_) => Value::Text(unquoted(text)),
    }
}

fn unquoted(text: &str) -> String {
    text.trim_matches('"').to_string()
}

/// The parts between commas that do not stand in quotes.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut in_quotes) = (Vec::new(), 0, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if start < text.len() {
        parts.push(&text[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_values_and_lists() {
        let text = "GROUP=GridStructure\n\tGROUP=GRID_1\n\t\tGridName=\"a b\"\n\t\tXDim=1200\n\
                    \t\tUpperLeftPointMtrs=(0.5,\n-1e3)\n\t\tDimList=(\"y,1\",\"x\")\n\tEND_GROUP=GRID_1\n\
                    END_GROUP=GridStructure\nEND\n";
        let root = parse(text);
        let grid = root.find("GRID_1").unwrap();
        assert_eq!((grid.text("GridName"), grid.number("XDim")), (Some("a b"), Some(1200.0)));
        assert_eq!(grid.numbers("UpperLeftPointMtrs"), [0.5, -1000.0]);
        assert_eq!(grid.texts("DimList"), ["y,1", "x"]);
    }

    #[test]
    fn cut_texts_give_what_is_there() {
        let text = "GROUP=A\nGROUP=B\nx=1\n";
        assert_eq!(parse(text).find("B").unwrap().number("x"), Some(1.0));
        assert_eq!(parse("END_GROUP=A\nx=(1,"), {
            let list = Value::Text("(1,".into());
            Node { values: vec![("x".into(), list)], ..Node::default() }
        });
        let deep = "GROUP=A\n".repeat(5000);
        parse(&deep);
    }
}
