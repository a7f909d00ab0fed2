"""Where the installed app starts: the same ``main`` as everywhere, after worker processes have been told apart."""

import sys
from multiprocessing import freeze_support

from jaxscope.__main__ import main

if __name__ == "__main__":
    freeze_support()
    sys.exit(main())
