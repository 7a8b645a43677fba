//! A JSON shape as JSON Schema, for endpoints that constrain their replies.

use serde_json::{Value, json};

use crate::JsonShape;

impl JsonShape {
    /// The shape in the subset of JSON Schema (draft 2020-12) that endpoints accept: objects with
    /// all their properties and no others. Endpoints may ignore the bounds of texts and arrays, so
    /// the reply must be checked.
    #[must_use]
    pub fn to_schema(&self) -> Value {
        match self {
            Self::Object(fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                let properties: serde_json::Map<String, Value> = fields
                    .iter()
                    .map(|(name, shape)| (name.clone(), shape.to_schema()))
                    .collect();
                json!({
                    "type": "object",
                    "properties": properties,
                    "required": names,
                    "additionalProperties": false,
                })
            }
            Self::Array { item, items_max } => json!({
                "type": "array",
                "items": item.to_schema(),
                "maxItems": items_max,
            }),
            Self::String { chars_max } => json!({"type": "string", "maxLength": chars_max}),
            Self::OneOf(texts) => json!({"type": "string", "enum": texts}),
            Self::Integer => json!({"type": "integer"}),
            Self::Bool => json!({"type": "boolean"}),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_becomes_the_schema_that_asks_for_it() {
        let text = JsonShape::String { chars_max: 80 };
        let claim = JsonShape::Object(vec![
            ("text".to_owned(), text),
            ("count".to_owned(), JsonShape::Integer),
            ("sure".to_owned(), JsonShape::Bool),
            (
                "mood".to_owned(),
                JsonShape::OneOf(vec!["glad".to_owned(), "sad".to_owned()]),
            ),
        ]);
        let claims = JsonShape::Array {
            item: Box::new(claim),
            items_max: 5,
        };
        let expected = json!({
            "type": "array",
            "maxItems": 5,
            "items": {
                "type": "object",
                "additionalProperties": false,
                "required": ["text", "count", "sure", "mood"],
                "properties": {
                    "text": {"type": "string", "maxLength": 80},
                    "count": {"type": "integer"},
                    "sure": {"type": "boolean"},
                    "mood": {"type": "string", "enum": ["glad", "sad"]},
                },
            },
        });
        assert_eq!(claims.to_schema(), expected);
    }
}
