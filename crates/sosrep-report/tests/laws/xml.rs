//! Just enough XML to tell whether a figure is well-formed.

/// Names of the tags that are open, checked against every closing tag; no entities but the five.
pub(crate) fn check(markup: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        check_text(&rest[..start])?;
        let end = rest[start..].find('>').ok_or("a tag does not end")? + start;
        let tag = &rest[start + 1..end];
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop() != Some(name) {
                return Err(format!("</{name}> closes nothing"));
            }
        } else {
            let name = tag.split_whitespace().next().ok_or("a tag without a name")?;
            check_attributes(&tag[name.len()..])?;
            open.push(name);
        }
        rest = &rest[end + 1..];
        if open.is_empty() && !rest.is_empty() {
            return Err(format!("text after the root: {rest}"));
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

fn check_text(text: &str) -> Result<(), String> {
    if text.chars().any(|c| c.is_control() && !['\n', '\t', '\r'].contains(&c)) {
        return Err(format!("a control character in {text:?}"));
    }
    for entity in text.split('&').skip(1) {
        if !["amp;", "lt;", "gt;", "quot;", "apos;"].iter().any(|name| entity.starts_with(name)) {
            return Err(format!("an entity XML does not know in {text:?}"));
        }
    }
    Ok(())
}

fn check_attributes(text: &str) -> Result<(), String> {
    let mut seen: Vec<&str> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").ok_or(format!("no value in {rest:?}"))?;
        let (value, after) = after.split_once('"').ok_or(format!("no end in {rest:?}"))?;
        check_text(value)?;
        if seen.contains(&name) || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
            return Err(format!("the attribute {name:?}"));
        }
        seen.push(name);
        rest = after.trim_start();
    }
    Ok(())
}

/// The values of all attributes that hold coordinates.
pub(crate) fn attributes(markup: &str) -> impl Iterator<Item = &str> {
    let names = ["d", "x", "y", "cx", "cy", "r", "width", "height", "viewBox", "transform"];
    names.into_iter().flat_map(move |name| {
        let start = format!(" {name}=\"");
        let values: Vec<&str> = markup.split(start.as_str()).skip(1).collect();
        values.into_iter().filter_map(|rest| rest.split('"').next())
    })
}

/// The text between the tags.
pub(crate) fn text(markup: &str) -> String {
    let pieces =
        markup.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    pieces.collect()
}

#[test]
fn the_checker_tells_good_from_bad() {
    assert!(check("<a b=\"1\"><c></c>x &amp; y</a>").is_ok());
    for bad in
        ["<a>", "<a></b>", "<a b></a>", "<a b=\"1\" b=\"2\"></a>", "<a>&nbsp;</a>", "<a></a>x"]
    {
        assert!(check(bad).is_err(), "{bad}");
    }
}
