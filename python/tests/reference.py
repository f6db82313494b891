"""Writes docs/python.md, the reference of the package, from its docstrings: `python tests/reference.py > ../docs/python.md`."""

import importlib
import inspect
import sys

MODULES = [
    ("chiasm", "Training, translating, aligning, language models, tokens"),
    ("chiasm.metrics", "BLEU, NIST, chrF, TER and significance"),
    ("chiasm.learn", "scikit-learn estimators"),
    ("chiasm.reorder", "How phrases move"),
    ("chiasm.machine", "SIL's machine.py"),
    ("chiasm.spark", "Beyond one machine"),
]


def signature(thing):
    """The signature without annotations, which the stubs have."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values() if p.name != "self"]
    plain = [p for p in plain if not (p.name.startswith("_") and p.kind != p.VAR_POSITIONAL)]
    return str(inspect.Signature(plain))


def text(thing):
    """Its docstring with examples as code."""
    lines, example = [], False
    for line in (inspect.getdoc(thing) or "").splitlines():
        begins = line.startswith(">>>")
        if begins and not example:
            lines.append("```python")
        if example and not line.strip():
            lines.append("```")
        example = begins or (example and bool(line.strip()))
        lines.append(line)
    return code("\n".join(lines + ["```"] * example))


def code(found):
    """Double backquotes, which docstrings have, as single ones; fences stay."""
    return found.replace("```", "\0").replace("``", "`").replace("\0", "```")


def members(owner):
    """The public methods and properties that a class defines itself or inherits from a class of the package."""
    for name, kind, home, value in inspect.classify_class_attrs(owner):
        if not name.startswith("_") and home.__module__.startswith("chiasm"):
            yield name, kind, value


def described(name, thing, out):
    if inspect.isclass(thing):
        out.append(f"### `{name}{signature(thing)}`\n\n{text(thing)}\n")
        for member, kind, value in sorted(members(thing)):
            if kind == "property":
                out.append(f"- `.{member}`: {text(value)}")
            elif kind in ("method", "class method", "static method"):
                callable_ = getattr(thing, member)
                out.append(f"- `.{member}{signature(callable_)}`: {text(callable_)}")
        out.append("")
    elif callable(thing):
        out.append(f"### `{name}{signature(thing)}`\n\n{text(thing)}\n")


def reference():
    """The whole page."""
    out = ["# The Python package\n", "From the docstrings, by `python/tests/reference.py`; a test keeps it so.\n"]
    for name, title in MODULES:
        module = importlib.import_module(name)
        out.append(f"## `{name}`: {title}\n")
        if name != "chiasm":
            out.append(text(module) + "\n")
        names = getattr(module, "__all__", None)
        names = names or [n for n, v in vars(module).items() if getattr(v, "__module__", None) == name and n[0] != "_"]
        for public in sorted(names):
            thing = getattr(module, public)
            if not inspect.ismodule(thing):
                described(public, thing, out)
    return "\n".join(out).rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(reference())
