"""An error while a part is painted: told once, the window goes on, and the process ends in order."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import jaxscope.gui

RAISES = textwrap.dedent(
    """
    from PySide6.QtCore import QTimer
    from jaxscope.gui.components import labels
    from jaxscope.gui.session import WindowSession, make_application
    from jaxscope.session.settings import Settings

    application = make_application()
    session = WindowSession(Settings())
    window = session.window
    drawn, draw_text = [], labels.draw_text

    def fail(*arguments):
        raise ZeroDivisionError("a part that cannot be painted")

    def mended():
        print("told:", window.banner.notice.sentence)
        labels.draw_text = lambda *arguments: drawn.append(1) or draw_text(*arguments)
        window.update()
        for part in window.findChildren(labels.Label):
            part.update()
        QTimer.singleShot(300, end)

    def end():
        print("painted on:", len(drawn) > 0)
        window.close()
        application.quit()

    labels.draw_text = fail
    window.show()
    QTimer.singleShot(300, mended)
    status = application.exec()
    session.shut_down()
    raise SystemExit(status)
    """
)


def test_a_part_whose_painting_fails_is_told_and_the_window_goes_on_and_ends_in_order():
    done = subprocess.run(
        [sys.executable, "-c", RAISES],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "told: " in done.stdout
    assert "None" not in done.stdout
    assert "painted on: True" in done.stdout
    assert "active painter" not in done.stderr
    assert "being painted" not in done.stderr


@pytest.mark.parametrize("folder", ["components", "views"])
def test_every_painter_of_a_part_is_taken_in_a_with(folder):
    """A painter in a plain variable outlives an error in its ``paintEvent``."""
    loose = []
    for path in sorted((Path(jaxscope.gui.__file__).parent / folder).glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        held = {item.context_expr for node in ast.walk(tree) if isinstance(node, ast.With) for item in node.items}
        loose += [
            f"{path.name}:{node.lineno}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node not in held
            if node.func.id == "begin" or (node.func.id == "QPainter" and path.name != "painting.py")
        ]
    assert loose == [], "write: with begin(self) as painter"
