// SPDX-License-Identifier: Apache-2.0
//! Expected values and their rules.

use serde_json::Value as Json;

use super::structs::field;
use super::value::{Names, Value};

/// Checks a value against a case's expectation.
pub fn check(names: &Names, wanted: &Json, found: &Value, what: &str) -> Result<(), String> {
    if wanted.as_array().is_some_and(Vec::is_empty) {
        return Ok(()); // an array that was given no room
    }
    let Json::Object(rules) = wanted else {
        let expected = expected(names, wanted, found)?;
        return require(found.same(&expected), what, found, &expected.to_string());
    };
    for (rule, operand) in rules {
        match rule.as_str() {
            "not" => require(!found.same(&expected(names, operand, found)?), what, found, "anything else")?,
            "min" => {
                let least = names.resolve(operand)?;
                require(found.real() >= least.real(), what, found, &format!("at least {least}"))?;
            }
            "max" => {
                let most = names.resolve(operand)?;
                require(found.real() <= most.real(), what, found, &format!("at most {most}"))?;
            }
            "contains" => {
                let part = operand.as_str().ok_or("'contains' wants a text")?;
                let has = matches!(found, Value::Text(text) if text.contains(part));
                require(has, what, found, &format!("a text with '{part}'"))?;
            }
            "fields" => {
                for (name, inner) in operand.as_object().ok_or("'fields' wants an object")? {
                    check(names, inner, &field(found, name)?, &format!("{what}.{name}"))?;
                }
            }
            other => return Err(format!("unknown rule '{other}'")),
        }
    }
    Ok(())
}

/// A text that is compared with a text stands for itself, even if a constant has that name.
fn expected(names: &Names, wanted: &Json, found: &Value) -> Result<Value, String> {
    match (wanted, found) {
        (Json::String(text), Value::Text(_)) if !text.starts_with('$') => Ok(Value::Text(text.clone())),
        _ => names.resolve(wanted),
    }
}

fn require(so: bool, what: &str, found: &Value, rule: &str) -> Result<(), String> {
    if so { Ok(()) } else { Err(format!("{what} is {found}, wanted {rule}")) }
}
