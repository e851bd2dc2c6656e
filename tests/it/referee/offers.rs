//! Requests for what the server offers besides tools: resources, prompts and completions, made from its own
//! lists of templates and prompts and aimed at the names of a vault.

use serde_json::{Map, Value, json};

use super::script::{Pools, Request};
use crate::common::Dice;

/// What the server lists.
pub(crate) struct Offers {
    templates: Vec<Value>,
    prompts: Vec<Value>,
}

/// The lists that the offers are made from, in the order in which [`Offers::new`] takes the answers.
pub(crate) const LISTS: [&str; 2] = ["resources/templates/list", "prompts/list"];

impl Offers {
    pub(crate) fn new(templates: &Value, prompts: &Value) -> Result<Offers, String> {
        let all = |answer: &Value, name: &str| {
            let listed = answer["result"][name].as_array().filter(|listed| !listed.is_empty());
            listed.cloned().ok_or(format!("the server lists no {name}"))
        };
        let offers =
            Offers { templates: all(templates, "resourceTemplates")?, prompts: all(prompts, "prompts")? };
        if let Some(odd) = offers.templates.iter().find(|template| variable(template).is_none()) {
            return Err(format!(
                "{odd} has not one variable: teach tests/it/referee/offers.rs such templates"
            ));
        }
        Ok(offers)
    }

    /// Each kind of request, in turn.
    pub(crate) fn requests(&self, count: usize, pools: &Pools, dice: &mut Dice) -> Vec<Request> {
        (0..count)
            .map(|number| match number % 7 {
                0 => list(pools, dice),
                1 | 2 => self.about_a_resource("resources/read", pools, dice),
                3 => {
                    let method = dice.choose(&["resources/subscribe", "resources/unsubscribe"]);
                    self.about_a_resource(method, pools, dice)
                }
                4 => self.get_prompt(pools, dice),
                5 => self.complete_address(pools, dice),
                _ => self.complete_argument(pools, dice),
            })
            .collect()
    }

    /// Whatever takes a text, with this one, but for what repeats it.
    pub(crate) fn requests_with(&self, text: &str) -> Vec<Request> {
        let complete = |reference: &Value, name: &Value| Request {
            method: "completion/complete",
            params: json!({ "ref": reference, "argument": { "name": name, "value": text } }),
        };
        let mut requests = vec![Request { method: "resources/list", params: json!({ "cursor": text }) }];
        for template in &self.templates {
            let (before, name, after) = variable(template).expect("checked before");
            let uri = format!("{before}{}{after}", encoded(text));
            requests.push(Request { method: "resources/read", params: json!({ "uri": uri }) });
            let reference = json!({ "type": "ref/resource", "uri": template["uriTemplate"] });
            requests.push(complete(&reference, &json!(name)));
        }
        for prompt in &self.prompts {
            let reference = json!({ "type": "ref/prompt", "name": prompt["name"] });
            let arguments = prompt["arguments"].as_array().into_iter().flatten();
            requests.extend(arguments.map(|argument| complete(&reference, &argument["name"])));
        }
        requests
    }

    fn about_a_resource(&self, method: &'static str, pools: &Pools, dice: &mut Dice) -> Request {
        let template = &self.templates[dice.below(self.templates.len())];
        let (before, _, after) = variable(template).expect("checked before");
        let value = pools.text("path", dice);
        let value = if dice.below(2) == 0 { encoded(&value) } else { value };
        Request { method, params: json!({ "uri": format!("{before}{value}{after}") }) }
    }

    fn get_prompt(&self, pools: &Pools, dice: &mut Dice) -> Request {
        let prompt = &self.prompts[dice.below(self.prompts.len())];
        let arguments = values(prompt, pools, dice);
        Request { method: "prompts/get", params: json!({ "name": prompt["name"], "arguments": arguments }) }
    }

    fn complete_address(&self, pools: &Pools, dice: &mut Dice) -> Request {
        let template = &self.templates[dice.below(self.templates.len())];
        let (_, name, _) = variable(template).expect("checked before");
        let reference = json!({ "type": "ref/resource", "uri": template["uriTemplate"] });
        let argument = json!({ "name": name, "value": beginning(&pools.text("path", dice), dice) });
        Request { method: "completion/complete", params: json!({ "ref": reference, "argument": argument }) }
    }

    fn complete_argument(&self, pools: &Pools, dice: &mut Dice) -> Request {
        let prompt = &self.prompts[dice.below(self.prompts.len())];
        let mut others = values(prompt, pools, dice);
        let arguments = prompt["arguments"].as_array().cloned().unwrap_or_default();
        let name = arguments
            .get(dice.below(arguments.len().max(1)))
            .map_or(json!("path"), |one| one["name"].clone());
        let name = name.as_str().unwrap_or_default().to_owned();
        others.remove(&name);
        let value = beginning(&pools.text(&name, dice), dice);
        let reference = json!({ "type": "ref/prompt", "name": prompt["name"] });
        let params = json!({
            "ref": reference,
            "argument": { "name": name, "value": value },
            "context": { "arguments": others },
        });
        Request { method: "completion/complete", params }
    }
}

fn list(pools: &Pools, dice: &mut Dice) -> Request {
    let params = if dice.below(3) == 0 { json!({}) } else { json!({ "cursor": pools.text("cursor", dice) }) };
    Request { method: "resources/list", params }
}

/// Values for the arguments of a prompt; one in four is left out.
fn values(prompt: &Value, pools: &Pools, dice: &mut Dice) -> Map<String, Value> {
    let mut values = Map::new();
    for argument in prompt["arguments"].as_array().into_iter().flatten() {
        let name = argument["name"].as_str().unwrap_or_default();
        if dice.below(4) != 0 {
            values.insert(name.to_owned(), pools.text(name, dice).into());
        }
    }
    values
}

/// What somebody has typed so far: often little or nothing.
fn beginning(text: &str, dice: &mut Dice) -> String {
    text.chars().take(dice.below(6)).collect()
}

/// The text before the one variable of a template, its name, the text after it.
fn variable(template: &Value) -> Option<(&str, &str, &str)> {
    let (before, rest) = template["uriTemplate"].as_str()?.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    (!after.contains('{')).then_some((before, name, after))
}

/// Every byte that is no letter and no digit, as clients encode a variable.
fn encoded(text: &str) -> String {
    let encode = |byte: u8| {
        let letter = char::from(byte);
        if letter.is_ascii_alphanumeric() { letter.to_string() } else { format!("%{byte:02X}") }
    };
    text.bytes().map(encode).collect()
}
