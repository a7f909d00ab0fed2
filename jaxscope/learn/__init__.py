"""What gradients through a filter make possible: filters that are fitted to goals.

May import dsp, engines and filters. Must never know recordings, files, state, threads or Qt.
"""
