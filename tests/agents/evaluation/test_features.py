from pathlib import Path

import pytest

from agents.evaluation.features import contains, evaluate_features, read_product, score

LINES = """\
*****
* Annotated by: Somebody
[t]a fine camera
##i bought it in may .
picture quality[+3], lens[-1][u]##the pictures are sharp .
pictures[+2]##nice pictures .
picture quality[+1],battery[-2##pictures are fine , the battery is not .
[t]another one
size[+2][p]##it is small .
picture quality[+2], battery life[-3][s]##good picture quality , bad battery life .
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "1_Camera.txt").write_text(LINES, "utf-8")
    (tmp_path / "1_README.txt").write_text("size[+2]##no product", "utf-8")
    return tmp_path


def test_reading_groups_reviews_and_drops_what_is_not_named(folder: Path) -> None:
    product = read_product(folder / "1_Camera.txt")
    assert len(product.reviews) == 2
    assert product.reviews[0].startswith("i bought it in may .\nthe pictures are sharp .")
    assert product.features == {
        ("picture", "quality"): 3,
        ("picture",): 1,
        ("battery",): 1,
        ("battery", "life"): 1,
    }


def test_score(folder: Path) -> None:
    product = read_product(folder / "1_Camera.txt")
    result = score(product, ["Pictures", "battery", "tripod", "life"])
    assert result.found == 4
    assert result.precision == pytest.approx(3 / 4)
    assert result.recall == 1.0
    assert result.f1 == pytest.approx(2 * 0.75 / 1.75)
    assert score(product, []).f1 == 0.0


def test_macro_is_the_mean_over_products(folder: Path) -> None:
    (folder / "2_Other.txt").write_text("[t]x\n" + "zoom[+1]##a zoom .\n" * 3, "utf-8")
    scores = evaluate_features(folder, lambda texts: ["picture"])
    assert [s.product for s in scores] == ["1_Camera", "2_Other", "macro"]
    assert scores[-1].f1 == pytest.approx(0.5)
    assert scores[-1].recall == pytest.approx(0.5)


def test_empty_folder(tmp_path: Path) -> None:
    assert evaluate_features(tmp_path, lambda texts: []) == []


@pytest.mark.parametrize(
    ("left", "right", "found"),
    [
        (("picture",), ("picture", "quality"), True),
        (("a", "b", "c"), ("b", "c"), True),
        (("a", "b", "c"), ("a", "c"), False),
        (("pic",), ("picture",), False),
    ],
)
def test_contains(left: tuple[str, ...], right: tuple[str, ...], found: bool) -> None:
    assert contains(left, right) is contains(right, left) is found
