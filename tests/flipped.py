"""Content in which one bit, drawn by hypothesis, has another value."""

from hypothesis import strategies as st


def flip_bit(content: bytes, data: st.DataObject) -> bytes:
    """Return the content with a bit changed, drawn from ``data``."""
    changed = bytearray(content)
    place = data.draw(st.integers(0, 8 * len(content) - 1))
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)
