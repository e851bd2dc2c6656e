//! The part of JSON Schema that our schemas use, checked by hand.

use rmcp::model::JsonObject;
use serde_json::Value;

/// Where the value does not fit the schema; a field that the schema does not describe counts, too.
pub(super) fn misfits(schema: &Value, value: &Value, place: &str) -> Vec<String> {
    let fits = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64(),
        Some("number") => value.is_number(),
        _ => false,
    };
    let listed = schema["enum"].as_array().is_none_or(|words| words.contains(value));
    if !fits || !listed {
        return vec![format!("{place}: {value}")];
    }
    match value {
        Value::Object(fields) if schema.get("properties").is_some() => object_misfits(schema, fields, place),
        Value::Array(items) if schema.get("items").is_some() => {
            items.iter().flat_map(|item| misfits(&schema["items"], item, &format!("{place}[]"))).collect()
        }
        _ => Vec::new(),
    }
}

fn object_misfits(schema: &Value, fields: &JsonObject, place: &str) -> Vec<String> {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing =
        required.filter(|name| !fields.contains_key(*name)).map(|name| format!("{place}.{name} missing"));
    let wrong = fields
        .iter()
        .flat_map(|(name, field)| misfits(&schema["properties"][name], field, &format!("{place}.{name}")));
    missing.chain(wrong).collect()
}
