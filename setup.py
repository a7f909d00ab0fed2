"""What pyproject.toml cannot say: the folder ``resources/`` is installed as ``jaxscope/resources``."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["jaxscope", "jaxscope.*"]), "jaxscope.resources"],
    package_dir={"jaxscope.resources": "resources"},
    package_data={"jaxscope": ["py.typed"], "jaxscope.resources": ["**/*"]},
)
