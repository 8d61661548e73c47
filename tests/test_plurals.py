import pytest

from consclust.plurals import count


@pytest.mark.parametrize(
    ("n", "form", "expected"),
    [
        (0, "", "0 fits"),
        (1, "", "1 fit"),
        (2, "", "2 fits"),
        (1, ",", "1 fit"),
        (2000, "", "2000 fits"),
        (2000, ",", "2,000 fits"),
    ],
)
def test_one_thing_is_written_in_the_singular(n, form, expected):
    assert count(n, "fit", form) == expected
