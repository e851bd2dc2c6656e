//! Tables of routes and of failures.

use std::collections::BTreeSet;

use super::*;

#[test]
fn every_tool_has_a_route_and_no_route_stands_twice() {
    let tools = |reindex| -> Vec<&str> {
        let named =
            ToolName::offered(reindex).filter(|tool| offered(reindex).any(|route| route.tool == *tool));
        named.map(ToolName::as_str).collect()
    };
    for reindex in [ReindexAccess::Refused, ReindexAccess::Allowed] {
        let all: Vec<&str> = ToolName::offered(reindex).map(ToolName::as_str).collect();
        assert_eq!(tools(reindex), all);
    }
    let is_query = |route: &Route| matches!(route.input, Input::Query(_));
    let distinct: BTreeSet<_> = ROUTES.iter().map(|route| (route.path, is_query(route))).collect();
    assert_eq!(distinct.len(), ROUTES.len());
}

#[test]
fn a_route_names_parameters_that_its_tool_has() {
    for route in ROUTES {
        let has = |name: &str| route.tool.described().any(|parameter| parameter.name == name);
        let named: Vec<&str> = match &route.input {
            Input::Query(names) => names.to_vec(),
            Input::Body { decided } => decided.iter().map(|(name, _)| *name).collect(),
        };
        for name in named.into_iter().chain(route.example.iter().map(|(name, _)| *name)) {
            assert!(has(name), "{}: {name}", route.path);
        }
        if let Input::Query(names) = &route.input {
            let of = |group: &[&str]| names.iter().filter(|name| group.contains(name)).count();
            for group in route.tool.alternatives() {
                assert!(of(group) <= 1, "{}: a query cannot say that only one may be given", route.path);
            }
            let one_of = route.tool.one_of();
            assert!(of(one_of) == usize::from(!one_of.is_empty()), "{}: nor that one must be", route.path);
            let required = route.tool.described().filter(|parameter| parameter.is_required);
            assert!(required.map(|parameter| parameter.name).all(|name| names.contains(&name)));
        }
    }
}

#[test]
fn every_failure_has_a_status() {
    let table = [
        (Failure::UnknownTool, 404),
        (Failure::BadArguments, 422),
        (Failure::NotFound, 404),
        (Failure::NothingSuch, 404),
        (Failure::NotAllowed, 403),
        (Failure::Unavailable, 503),
        (Failure::TooManyCalls, 429),
        (Failure::Cancelled, 500),
        (Failure::TooLate, 504),
        (Failure::Internal, 500),
    ];
    for (failure, expected) in table {
        let response = failed(&CallError { failure, text: "text".into() });
        assert_eq!(response.status().as_u16(), expected, "{failure:?}");
        assert_eq!(response.headers().contains_key(RETRY_AFTER), expected == 429, "{failure:?}");
        let document = openapi::document(None, ROUTES.iter(), Authorization::Required);
        for (path, method) in [("/search", "post"), ("/status", "get")] {
            let documented = &document["paths"][path][method]["responses"][expected.to_string()];
            assert!(documented.is_object(), "{expected} of {path} is not documented");
        }
    }
}
