"""What is said of a package that comes with an extra and is not installed."""

import pytest

from consclust.errors import InputError
from consclust.extras import needs


@needs("plot")
def drawn(size):
    import no_such_package.figures

    return no_such_package.figures.draw(size)


@needs("report")
def reported():
    return drawn(2)


@pytest.mark.parametrize("function", [lambda: drawn(1), reported])
@pytest.mark.parametrize("kind", [InputError, ImportError])
def test_the_innermost_extra_is_named_with_what_it_lacks(function, kind):
    with pytest.raises(kind, match=r"'no_such_package'; pip install .consclust\[plot\]") as caught:
        function()
    assert caught.value.name == "no_such_package"


def test_other_errors_are_left_alone():
    with pytest.raises(ImportError) as caught, needs("plot"):
        from consclust.errors import no_such_error  # noqa: F401
    assert type(caught.value) is ImportError
