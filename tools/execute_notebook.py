"""Execute a notebook, without Jupyter, and store what its cells show in it.

Run it with ``python tools/execute_notebook.py examples/explore_stories.ipynb``.
"""

import ast
import base64
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot


def execute(notebook: dict[str, Any]) -> None:
    """Run the cells of a notebook in order, and replace their outputs."""
    pyplot.close("all")  # what was drawn before, in the same process, is not the notebook's
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        cell["execution_count"] = count
        cell["outputs"] = _outputs("".join(cell["source"]), names, count)


def _outputs(source: str, names: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Return what a cell prints, its last expression, and the figures that it draws."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed)})
    if value is not None and not source.rstrip().endswith(";"):
        data = {"text/plain": _lines(repr(value))}
        if hasattr(value, "_repr_html_"):
            data["text/html"] = _lines(value._repr_html_())
        found.append(
            {
                "output_type": "execute_result",
                "execution_count": count,
                "data": data,
                "metadata": {},
            }
        )
    found += [
        {"output_type": "display_data", "data": _drawn(number), "metadata": {}}
        for number in pyplot.get_fignums()
    ]
    pyplot.close("all")
    return found


def _drawn(number: int) -> dict[str, Any]:
    figure = pyplot.figure(number)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=80)
    return {
        "text/plain": [repr(figure)],
        "image/png": base64.b64encode(content.getvalue()).decode() + "\n",
    }


def _lines(text: str | io.StringIO) -> list[str]:
    whole = text if isinstance(text, str) else text.getvalue()
    return whole.splitlines(keepends=True)


def main() -> None:
    """Execute the notebook that is named."""
    (path,) = map(Path, sys.argv[1:])
    notebook = json.loads(path.read_text("utf-8"))
    execute(notebook)
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
