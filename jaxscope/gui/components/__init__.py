"""The component sheet: buttons, fields, switches, sliders, popovers.

May import the theme, icons and filters (expressions, knobs). Must never know views, session or compute.
"""
