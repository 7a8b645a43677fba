//! Checks whether a JSON value matches a shape, repairs small deviations, and writes the value in
//! the shape's field order.

use serde_json::Value;

use crate::JsonShape;

impl JsonShape {
    /// Whether `value` has this shape: all fields and no others, within all bounds.
    #[must_use]
    pub fn accepts(&self, value: &Value) -> bool {
        self.misfit(value, "$", &str::to_owned).is_none()
    }

    /// `value` as JSON in the shape's field order, with small defects repaired; or its first
    /// mismatch, with its path (`$.facts[2].text`). `shown` prepares a text of the value for that
    /// message.
    pub(crate) fn write_mended(
        &self,
        mut value: Value,
        shown: &dyn Fn(&str) -> String,
    ) -> Result<String, String> {
        Self::calm(&mut value);
        self.mend(&mut value);
        match self.misfit(&value, "$", shown) {
            None => Ok(self.write(&value)),
            Some(reason) => Err(reason),
        }
    }

    fn misfit(&self, value: &Value, at: &str, shown: &dyn Fn(&str) -> String) -> Option<String> {
        match (self, value) {
            (Self::Object(fields), Value::Object(found)) => {
                let known = |name: &String| fields.iter().any(|(field, _)| field == name);
                if let Some(name) = found.keys().find(|name| !known(name)) {
                    return Some(format!(
                        "{at} has an unknown field `{}`",
                        brief(&shown(name))
                    ));
                }
                fields
                    .iter()
                    .find_map(|(name, shape)| match found.get(name) {
                        Some(inner) => shape.misfit(inner, &format!("{at}.{name}"), shown),
                        None => Some(format!("{at} has no field `{name}`")),
                    })
            }
            (Self::Array { item, items_max }, Value::Array(found)) => {
                if found.len() > *items_max {
                    let count = found.len();
                    return Some(format!("{at} has {count} items, at most {items_max} fit"));
                }
                let mut items = found.iter().enumerate();
                items
                    .find_map(|(index, inner)| item.misfit(inner, &format!("{at}[{index}]"), shown))
            }
            (Self::String { chars_max }, Value::String(text)) => {
                let count = text.chars().count();
                if count > *chars_max {
                    return Some(format!(
                        "{at} has {count} characters, at most {chars_max} fit"
                    ));
                }
                let has_control = text.contains(|c: char| c.is_control());
                has_control.then(|| format!("{at} has a control character in it"))
            }
            (Self::OneOf(texts), Value::String(text)) => (!texts.contains(text))
                .then(|| format!("{at} is `{}`, not one of {texts:?}", brief(&shown(text)))),
            (Self::Integer, Value::Number(number)) => (!number.is_i64() && !number.is_u64())
                .then(|| format!("{at} is {number}, not a whole number")),
            (Self::Bool, Value::Bool(_)) => None,
            _ => Some(format!("{at} is {}, not {}", kind(value), self.kind())),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Object(_) => "an object",
            Self::Array { .. } => "a list",
            Self::String { .. } | Self::OneOf(_) => "a text",
            Self::Integer => "a whole number",
            Self::Bool => "true or false",
        }
    }

    /// Replaces control characters in texts of `value` by spaces: the schema cannot exclude them,
    /// and a line break in a text is no reason to refuse a reply.
    fn calm(value: &mut Value) {
        match value {
            Value::String(text) if text.contains(|c: char| c.is_control()) => {
                *text = text.replace(|c: char| c.is_control(), " ");
            }
            Value::Array(items) => items.iter_mut().for_each(Self::calm),
            Value::Object(fields) => fields.values_mut().for_each(Self::calm),
            _ => {}
        }
    }

    /// Repairs common errors of servers without constrained decoding: long texts and lists are
    /// truncated, invalid items and unknown fields are dropped, and a number in place of one of the
    /// allowed texts becomes that text. A list without any valid item is kept and later refused: an
    /// empty list would change the meaning.
    fn mend(&self, value: &mut Value) {
        match (self, &mut *value) {
            (Self::Object(fields), Value::Object(found)) => {
                found.retain(|name, _| fields.iter().any(|(field, _)| field == name));
                for (name, shape) in fields {
                    if let Some(inner) = found.get_mut(name) {
                        shape.mend(inner);
                    }
                }
            }
            (Self::Array { item, items_max }, Value::Array(found)) => {
                found.iter_mut().for_each(|inner| item.mend(inner));
                if found.iter().any(|inner| item.accepts(inner)) {
                    found.retain(|inner| item.accepts(inner));
                }
                found.truncate(*items_max);
            }
            (Self::String { chars_max }, Value::String(text)) => {
                if let Some((end, _)) = text.char_indices().nth(*chars_max) {
                    text.truncate(end);
                }
            }
            (Self::OneOf(texts), Value::Number(number)) => {
                let text = number.to_string();
                if texts.contains(&text) {
                    *value = Value::String(text);
                }
            }
            _ => {}
        }
    }

    fn write(&self, value: &Value) -> String {
        match (self, value) {
            (Self::Object(fields), Value::Object(found)) => {
                let written: Vec<String> = fields
                    .iter()
                    .filter_map(|(name, shape)| Some((name, shape, found.get(name)?)))
                    .map(|(name, shape, inner)| {
                        format!("{}:{}", Value::from(name.as_str()), shape.write(inner))
                    })
                    .collect();
                format!("{{{}}}", written.join(","))
            }
            (Self::Array { item, .. }, Value::Array(found)) => {
                let written: Vec<String> = found.iter().map(|inner| item.write(inner)).collect();
                format!("[{}]", written.join(","))
            }
            _ => value.to_string(),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The start of a text for a message.
fn brief(text: &str) -> String {
    let kept = text.chars().filter(|c| !c.is_control()).take(40);
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn shape() -> JsonShape {
        let fact = JsonShape::Object(vec![
            ("text".to_owned(), JsonShape::String { chars_max: 5 }),
            ("sure".to_owned(), JsonShape::Bool),
        ]);
        let kinds = vec!["event".to_owned(), "state".to_owned()];
        JsonShape::Object(vec![
            ("kind".to_owned(), JsonShape::OneOf(kinds)),
            ("count".to_owned(), JsonShape::Integer),
            (
                "facts".to_owned(),
                JsonShape::Array {
                    item: Box::new(fact),
                    items_max: 2,
                },
            ),
        ])
    }

    #[test]
    fn what_fits_is_accepted_and_written_in_the_order_of_the_shape() {
        let value = json!({"count": -3, "facts": [{"sure": true, "text": "größe"}],
            "kind": "event"});
        assert!(shape().accepts(&value));
        assert_eq!(
            shape().write(&value),
            r#"{"kind":"event","count":-3,"facts":[{"text":"größe","sure":true}]}"#
        );
    }

    #[test]
    fn what_does_not_fit_is_told_with_its_place() {
        let fact = json!({"text": "a", "sure": true});
        for (value, told) in [
            (json!([]), "$ is a list, not an object"),
            (json!({"kind": "event", "count": 1}), "no field `facts`"),
            (
                json!({"kind": "event", "count": 1, "facts": [], "more": 1}),
                "unknown field `more`",
            ),
            (
                json!({"kind": "x", "count": 1, "facts": []}),
                "$.kind is `x`",
            ),
            (
                json!({"kind": "event", "count": 1.5, "facts": []}),
                "$.count is 1.5",
            ),
            (
                json!({"kind": "event", "count": "1", "facts": []}),
                "$.count is a text",
            ),
            (
                json!({"kind": "event", "count": 1, "facts": [fact, fact, fact]}),
                "$.facts has 3 items, at most 2",
            ),
            (
                json!({"kind": "event", "count": 1, "facts": [fact, {"text": "longer",
                    "sure": false}]}),
                "$.facts[1].text has 6 characters, at most 5",
            ),
            (
                json!({"kind": "event", "count": 1, "facts": [{"text": "a\nb", "sure": 1}]}),
                "$.facts[0].text has a control character",
            ),
            (
                json!({"kind": "event", "count": 1, "facts": [{"text": "a", "sure": null}]}),
                "$.facts[0].sure is null, not true or false",
            ),
        ] {
            let misfit = shape()
                .misfit(&value, "$", &str::to_owned)
                .expect("it does not fit");
            assert!(misfit.contains(told), "{misfit}");
            assert!(!shape().accepts(&value));
        }
    }

    fn mended(value: Value) -> Value {
        let mut value = value;
        shape().mend(&mut value);
        value
    }

    #[test]
    fn one_item_that_does_not_fit_costs_itself_alone() {
        let (good, other) = (
            json!({"text": "a", "sure": true}),
            json!({"text": "b", "sure": false}),
        );
        let facts = json!([good, {"text": "c"}, 7, {"text": "d", "sure": "yes"}, other, good]);
        let value = mended(json!({"kind": "event", "count": 1, "facts": facts, "why": "so"}));
        let expected = json!({"kind": "event", "count": 1, "facts": [good, other]});
        assert_eq!(value, expected);
        assert!(shape().accepts(&value));
        let long = json!([{"text": "größer", "sure": true, "more": 1}]);
        let value = mended(json!({"kind": "event", "count": 1, "facts": long}));
        assert_eq!(value["facts"], json!([{"text": "größe", "sure": true}]));
    }

    #[test]
    fn what_nothing_fits_of_stays_to_be_refused() {
        let value = mended(json!({"kind": "event", "count": 1, "facts": [1, {"text": "a"}]}));
        assert!(!shape().accepts(&value), "{value}");
        let value = mended(json!({"kind": "x", "count": 1, "facts": []}));
        assert!(!shape().accepts(&value), "{value}");
        let mut number = json!([2, "1", 3]);
        let numbers = JsonShape::OneOf(vec!["1".to_owned(), "2".to_owned()]);
        let item = Box::new(numbers);
        JsonShape::Array { item, items_max: 9 }.mend(&mut number);
        assert_eq!(number, json!(["2", "1"]));
    }

    #[test]
    fn control_characters_become_spaces() {
        let mut value = json!({"a": ["x\ny", 1], "b": {"c": "\u{0}"}});
        JsonShape::calm(&mut value);
        assert_eq!(value, json!({"a": ["x y", 1], "b": {"c": " "}}));
    }
}
