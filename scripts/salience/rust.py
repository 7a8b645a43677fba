"""Reads word lists and weights from the engine's Rust source.

The lists exist only in the Rust source, so training and engine always use the same ones. If a list
is not found, the error names the list and the file.
"""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TEXT = REPOSITORY / "engine" / "core" / "src" / "text"

# The rarity terms in `Salience::chance`: feature name, and the text after its weight.
RARITY_TERMS = {
    "logcost": "* cost.ln()",
    "mass_sq": "* mass.min(MASS_MAX).sqrt()",
    "mass_tok": "* mass / cost",
    "meanidf": "* mass / distinct.max(1) as f32",
}
NUMBER = r"(-?\d+\.\d+)"


def source(module):
    """The text of a module of engine/core/src/text, in one file or in a folder."""
    files = [TEXT / f"{module}.rs", *sorted((TEXT / module).glob("*.rs"))]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file())


def _find(pattern, module, name):
    found = re.search(pattern, source(module), re.DOTALL)
    if found is None:
        raise SystemExit(f"{TEXT / module}.rs: the constant {name} is not there; rust.py reads it")
    return found.group(1)


def words(module, name):
    """The words of a constant list."""
    body = _find(rf"const {name}: &\[&str\] = &\[(.*?)\];", module, name)
    return frozenset(re.findall(r'"([^"]*)"', body))


def pairs(module, name):
    """A constant list of pairs as a dictionary."""
    body = _find(rf"const {name}: &\[\(&str, &str\)\] = &\[(.*?)\];", module, name)
    return dict(re.findall(r'\("([^"]*)", "([^"]*)"\)', body))


def space_separated(module, name):
    """The words of a constant string."""
    body = _find(rf'const {name}: &str = "(.*?)";', module, name)
    return frozenset(body.replace("\\", " ").split())


def weights(text):
    """The intercept, and the weights by feature, in the text of the module salience."""
    rows = re.findall(rf'\(\s*"(\w+)",\s*{NUMBER},', text)
    found = {name: float(weight) for name, weight in rows}
    for name, rest in RARITY_TERMS.items():
        match = re.search(rf"{NUMBER} {re.escape(rest)}", text)
        if match is not None:
            found[name] = float(match.group(1))
    intercept = re.search(rf"INTERCEPT: f32 = {NUMBER};", text)
    if intercept is None or not found:
        raise SystemExit(f"{TEXT}/salience.rs: rust.py finds no INTERCEPT or no weights in it")
    return float(intercept.group(1)), found


def table(intercept, found):
    """Weights in the form of salience.rs, ready to copy."""
    lines = [f"const INTERCEPT: f32 = {intercept:.4f};", ""]
    lines += [f'("{name}", {weight:.4f}, ...),' for name, weight in found.items()
              if name not in RARITY_TERMS]
    lines.append("")
    for name, rest in RARITY_TERMS.items():
        lines.append(f"+ {found[name]:.4f} {rest}")
    return "\n".join(lines)
