"""What the window shows, one file a view.

A view gets state and frames, and dispatches actions. It must never know another view.
"""

from __future__ import annotations

from jaxscope.gui.views.base import AbstractView
from jaxscope.registry import Registry

#: The views of the window, in the order in which they are told a state: the traces are what a hand waits for.
VIEWS: Registry[type[AbstractView]] = Registry(
    "view",
    {
        "traces": "jaxscope.gui.views.traces:TracesView",
        "top": "jaxscope.gui.views.top_bar:TopBarView",
        "rail": "jaxscope.gui.views.rail:RailView",
        "strip": "jaxscope.gui.views.header_strip:HeaderStripView",
        "axis": "jaxscope.gui.views.time_axis:TimeAxisView",
        "overview": "jaxscope.gui.views.overview:OverviewView",
        "drawer": "jaxscope.gui.views.spectrum_drawer:SpectrumDrawer",
        "folder": "jaxscope.gui.views.folder_drawer:FolderDrawer",
        "sweep": "jaxscope.gui.views.sweep_drawer:SweepDrawer",
        "fit": "jaxscope.gui.views.fit_panel:FitPanel",
        "dock": "jaxscope.gui.views.dock:Dock",
        "status": "jaxscope.gui.views.status_bar:StatusBarView",
    },
)
