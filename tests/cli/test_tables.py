"""Tables that hold more than clusterings: each is named in one line, and every remedy in a line works."""

import re
import shlex
import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from consclust.cli import main
from consclust.cli.own_files import OPTIONS, read_features, read_labels
from consclust.ensemble import Ensemble
from consclust.readers.layout import Layout
from consclust.readers.units import scale_columns

RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 20)
BASE = np.where(RNG.random((60, 6)) < 0.1, RNG.integers(0, 3, (60, 6)), TRUTH[:, None])
FEATURES = RNG.normal(size=(60, 4)) + 6 * TRUTH[:, None]
WORDS = np.array(["B", "NK", "T"])


def table(**more):
    """Six clusterings of 60 objects, and other columns before them, or after them if their names begin with z."""
    before = {name: column for name, column in more.items() if name[0] != "z"}
    after = {name: column for name, column in more.items() if name[0] == "z"}
    return pd.DataFrame({**before, **{f"r{j}": column for j, column in enumerate(BASE.T)}, **after})


def indicators(labels):
    """A column for each cluster of each clustering."""
    columns = [(f"r{j}_{label}", column == label) for j, column in enumerate(labels.T) for label in np.unique(column)]
    return pd.DataFrame({name: column.astype(int) for name, column in columns})


def long_form(labels):
    """A row for each object and clustering."""
    rows = [(f"s{i}", f"m{j}", int(labels[i, j])) for i in range(len(labels)) for j in range(labels.shape[1])]
    return pd.DataFrame(rows, columns=["cell", "method", "cluster"])


def csv(frame, **options):
    return frame.to_csv(index=False, lineterminator="\n", **options)


IDS = np.array([f"AAAC{i}" for i in range(60)])
LAST_TWICE = np.append(IDS[:-1], IDS[-2])
ZERO_IS_NOISE = np.where(RNG.random((60, 6)) < 0.25, 0, BASE + 1)
CODED = np.where(ZERO_IS_NOISE == 0, -9, BASE)
DECIMAL = csv(pd.DataFrame(FEATURES, columns=list("abcd")), sep=";", decimal=",", float_format="%.3f")
FEW_FEATURES = csv(pd.DataFrame(FEATURES[:3], columns=list("abcd")))
METADATA = table(zcount=500 + RNG.integers(0, 1000, 60), zgenes=RNG.integers(0, 200, 60), zident="pbmc")
UNITS = pd.DataFrame(FEATURES * [1, 1, 1, 1e5], columns=["a", "b", "c", "income"])
LABELS = csv(table())
NUMBERED = "\n".join(["2,3,4,5,6,7", *(",".join(map(str, row)) for row in BASE.tolist())])

LABEL_TABLES = {
    "metadata": (csv(METADATA), "columns 'zcount', 'zgenes'", 6),
    "one cluster": (csv(table(zident=1)), "column 'zident': one cluster", 6),
    "classes first": (csv(table(type=WORDS[TRUTH])), "column 'type': words that repeat", 6),
    "classes last": (csv(table(ztype=WORDS[TRUTH])), "column 'ztype': words, beside columns of numbers", 6),
    "classes after ids": (csv(table(cell=IDS, type=WORDS[TRUTH])), "column 'type': words, beside", 6),
    "two columns of words": (csv(table(za=WORDS[TRUTH], zb=WORDS[BASE[:, 0]])), "columns 'za', 'zb'", 6),
    "each id twice": (csv(table(patient=1000 + np.arange(60) // 2)), "30 different labels for 60 objects", 6),
    "one id twice": (csv(table(cell=LAST_TWICE).replace({"r0": {0: "x", 1: "y", 2: "z"}})), "59 different", 6),
    "ids in the middle": (csv(table(zid=7 * np.arange(60) + 5)), "60 different labels for 60 objects", 6),
    "indicators": (csv(indicators(BASE)), "columns 'r0_0', 'r0_1', 'r0_2': 0 and 1 that sum to 1", 6),
    "indicators in part": (csv(pd.concat([indicators(BASE[:, :2]), table()], axis=1)), "(1 other group too)", 8),
    "long": (csv(long_form(BASE)), "as in the long form", 6),
    "label 0": (csv(pd.DataFrame(ZERO_IS_NOISE)), "objects with label 0 agree by chance", 6),
    "label -9": (csv(pd.DataFrame(CODED)), "-9 is no label", 6),
    "labels -9, -99": (csv(pd.DataFrame(CODED).replace({0: {-9: -99}})), "--missing -9 --missing -99", 6),
    "a word for missing": (LABELS.replace("0", "?", 9), "'?' is no number, but", 6),
    "inf": (LABELS.replace("0", "inf", 9), "'inf' is no number, but", 6),
    "integers as features": (csv(pd.DataFrame(np.round(1000 * FEATURES).astype(int))), "if these are features", 4),
    "large integers as features": (csv(pd.DataFrame(np.round(1e5 + 999 * FEATURES).astype(int))), "up to 60", 4),
    "fractions": (csv(pd.DataFrame(FEATURES.round(3))), "no label, which is a whole number", 4),
    "fractions beside labels": (csv(table(zx=FEATURES[:, 0], zy=FEATURES[:, 1])), "--drop zx --drop zy", 6),
    "decimal comma": (DECIMAL, "has a decimal comma", 4),
    "decimal comma, no header": (DECIMAL.split("\n", 1)[1], "has a decimal comma", 4),
    "names or an object": (NUMBERED, "may be a header or the first object", 6),
    "clusterings in rows": (csv(table()[:5].T, header=False), None, None),
    "many columns of one cluster": (csv(table(**{f"z{j}": 1 for j in range(8)})), "and 5 more: one cluster", 6),
    "too many columns for a long form": (csv(long_form(BASE).assign(k=3)), None, None),
}
FEATURE_TABLES = {
    "units": (csv(UNITS), "column 'income': a standard deviation"),
    "tiny": (csv(pd.DataFrame(FEATURES * 1e-200, columns=list("abcd"))), "the squares of all differences vanish"),
    "decimal comma": (DECIMAL, "has a decimal comma"),
    "classes": (csv(pd.DataFrame(FEATURES, columns=list("abcd")).assign(zt=WORDS[TRUTH])), "'B' is no number"),
    "three objects": (FEW_FEATURES, "3 objects, of which the rule sqrt makes one cluster"),
}


def run(path, content, options):
    path.write_text(content, encoding="utf-8")
    command = ["consensus", str(path), "-k", "2", "--method", "EAC", *options]
    done = CliRunner().invoke(main, command, catch_exceptions=False)
    lines = done.stderr.splitlines()
    return done, [line for line in lines if line.startswith(("Error: ", "note: "))]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.csv"


@pytest.mark.parametrize("kind", [kind for kind, (_, said, _) in LABEL_TABLES.items() if said])
def test_each_kind_of_table_is_named_in_one_line(path, kind):
    content, expected, _ = LABEL_TABLES[kind]
    _, said = run(path, content, [])
    assert [line for line in said if expected in line], said
    assert len(said) <= 3


@pytest.mark.parametrize("kind", FEATURE_TABLES)
def test_each_kind_of_features_is_named_in_one_line(path, kind):
    content, expected = FEATURE_TABLES[kind]
    assert expected in run(path, content, ["--features"])[1][0]


def test_clusterings_alone_are_read_without_a_word(path):
    partial = table().assign(r1=np.where(BASE[:, 1] == 1, -1, BASE[:, 1]))
    for frame in (table(), table(id=IDS), table().map(lambda label: WORDS[label]), partial):
        done, said = run(path, csv(frame), [])
        assert (done.exit_code, said) == (0, [])


# ---------------------------------------------------------------------- remedies

PARAMETERS = {name: each for each in main.commands["consensus"].params for name in (*each.opts, *each.secondary_opts)}


def remedies_in(line):
    """The options of each remedy in a line: "use A if x, or B if y" has two."""
    found = []
    for part in re.findall(r"(?<=use )--.*?(?=; |$)", line):
        names = re.search(r"; there is .*?([^,\s]+)$", line)
        for choice in re.split(r",? or (?=--)", part):
            options = []
            tokens = shlex.split(choice)
            while tokens and tokens[0].startswith("--"):
                options.append(tokens.pop(0))
                if not PARAMETERS[options[-1]].is_flag:
                    value = tokens.pop(0)
                    options.append(names[1] if value == "NAME" else value)
            found.append(options)
    return found


def leads_to_an_answer(path, content, options, seen, depth=0):
    """Whether the file is read with some options, or with those and a remedy that is printed then, and so on."""
    done, said = run(path, content, options)
    if done.exit_code == 0:
        return True
    (line,) = [line for line in said if line.startswith("Error")]
    assert line not in seen, f"{options} changes nothing: {line}"
    further = remedies_in(line)
    return depth < 6 and any(
        leads_to_an_answer(path, content, [*options, *remedy], [*seen, line], depth + 1) for remedy in further
    )


def try_remedies(path, content, options):
    """Run each remedy of each line."""
    _, said = run(path, content, options)
    for line in said:
        for remedy in remedies_in(line):
            answered = leads_to_an_answer(path, content, [*options, *remedy], [line])
            assert answered, f"{remedy} leads nowhere: {line}"
            assert line not in run(path, content, [*options, *remedy])[1], f"{remedy} changes nothing: {line}"


MORE_TABLES = {
    "words among numbers": "a,b,c\n1,2,1\n2,u,1\n2,2,2\n",
    "first of words": "2,3,1\nu,v,w\nu,w,w\n",
    "a clustering without labels": "a,my run,c\n1,,1\n2,,2\n2,,1\n",
    "wide": "1,1,1,1\n2,2,2,1\n",
    "inf as a number": "a,b,c\n1,2,1\n2,1e999,1\n2,2,2\n",
    "a label too large": "a,b,c\n1,2,1\n2,1e300,1\n2,2,2\n",
    "classes of few columns": "class,a,b\nu,1,2\nu,1,1\nv,2,2\n",
    "classes beside one column": "class,a\nu,1\nu,1\nv,2\n",
}


@pytest.mark.long
@pytest.mark.parametrize("kind", [*LABEL_TABLES, *MORE_TABLES])
def test_every_remedy_for_labels_works(path, kind):
    content = MORE_TABLES[kind] if kind in MORE_TABLES else LABEL_TABLES[kind][0]
    options = ["--long"] if kind == "too many columns for a long form" else []
    try_remedies(path, content, options)


@pytest.mark.long
@pytest.mark.parametrize("kind", FEATURE_TABLES)
def test_every_remedy_for_features_works(path, kind):
    try_remedies(path, FEATURE_TABLES[kind][0], ["--features"])


@pytest.mark.long
def test_every_remedy_for_several_arrays_and_ranges_works(tmp_path):
    np.savez(tmp_path / "two.npz", E=BASE, F=BASE[:, ::-1])
    done = CliRunner().invoke(main, ["consensus", str(tmp_path / "two.npz"), "-k", "2"])
    (remedy,) = remedies_in(done.stderr)
    assert remedy == ["--variable", "F"]
    done = CliRunner().invoke(main, ["consensus", str(tmp_path / "two.npz"), "-k", "2", *remedy])
    assert done.exit_code == 0
    few = csv(pd.DataFrame(FEATURES[::5], columns=list("abcd")))
    try_remedies(tmp_path / "few.csv", few, ["--features", "--base-k", "5:20"])


@pytest.mark.long
def test_the_tables_above_print_every_option_of_the_remedies(path):
    labels = {kind: content for kind, (content, _, _) in LABEL_TABLES.items()} | MORE_TABLES
    runs = [(content, []) for content in labels.values()]
    runs += [(content, ["--features"]) for content, _ in FEATURE_TABLES.values()]
    lines = [line for content, options in runs for line in run(path, content, options)[1]]
    printed = {option for line in lines for remedy in remedies_in(line) for option in remedy if option[:2] == "--"}
    names = {each.name for each in fields(OPTIONS)} - {"where", "quote", "least", "variable"}
    assert printed == {getattr(OPTIONS, name).partition(" ")[0] for name in names} | {"--base-k"}


def test_a_range_of_clusters_names_what_the_objects_allow(path):
    few = csv(pd.DataFrame(FEATURES[::5], columns=list("abcd")))
    (line,) = run(path, few, ["--features", "--base-k", "5:20"])[1]
    assert "--base-k 5:20: 20 clusters are too many for the 12 objects" in line
    assert line.endswith("use --base-k 5:12")
    (line,) = run(path, few, ["--features", "--base-k", "15:20"])[1]
    assert line.endswith("give numbers from 2 to 12")
    assert run(path, few, ["--features", "--base-k", "5:20", "--runs", "8"])[0].exit_code == 0


def test_one_object_has_no_clusterings(path):
    (line,) = run(path, csv(pd.DataFrame(FEATURES[:1])), ["--features"])[1]
    assert line.endswith("one object; give two or more")


# ---------------------------------------------------------------------- options do the right thing


def read(path, content, **layout):
    path.write_text(content, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_labels(path, Layout(comments=True, all_have_classes=False, **layout))


@pytest.mark.parametrize(
    ("kind", "layout", "expected"),
    [
        ("metadata", {"drop": ["zcount", "zgenes", "zident"]}, BASE),
        ("classes first", {"classes": "type"}, BASE),
        ("classes first", {"drop": ["type"]}, BASE),
        ("classes last", {"classes": "ztype"}, BASE),
        ("classes after ids", {"classes": "type"}, BASE),
        ("each id twice", {"ids": "patient"}, BASE),
        ("one id twice", {"ids": "cell"}, BASE),
        ("ids in the middle", {"ids": "zid"}, BASE),
        ("indicators", {"indicator": True}, BASE),
        ("indicators in part", {"indicator": True}, np.column_stack([BASE[:, :2], BASE])),
        ("long", {"long": True}, BASE),
        ("label 0", {"codes": ["0"]}, np.where(ZERO_IS_NOISE == 0, -1, BASE)),
        ("label -9", {"codes": ["-9"]}, np.where(CODED == -9, -1, BASE)),
        ("labels -9, -99", {"codes": ["-9", "-99"]}, np.where(CODED == -9, -1, BASE)),
    ],
)
def test_an_option_does_the_right_thing(path, kind, layout, expected):
    found = read(path, LABEL_TABLES[kind][0], **layout)
    np.testing.assert_array_equal(Ensemble(found.values).labels, Ensemble(expected).labels)


def test_a_class_may_be_missing_from_the_truth(path):
    content = csv(table(ztype=WORDS[TRUTH])).replace("NK", "", 3)
    np.testing.assert_array_equal(read(path, content, classes="ztype").values, BASE)


def test_the_first_column_of_distinct_words_may_be_a_clustering(path):
    content = "a,b,c\nu,1,2\nv,1,2\nw,2,3\n"
    assert read(path, content).names == ["b", "c"]
    found = read(path, content, no_ids=True)
    assert (found.names, found.ids.tolist()) == (["a", "b", "c"], [1, 2, 3])


def test_ids_stay_as_they_are_where_a_code_is_one_of_them(path):
    content = "cell,a,b\n0,1,0\n1,1,2\n2,2,2\n"
    found = read(path, content, codes=["0"])
    assert (found.ids.tolist(), found.values[0].tolist()) == (["0", "1", "2"], [1, -1])


def test_indicators_of_an_object_that_is_missing(path):
    content = "a1,a2,b1,b2\n1,0,1,0\n0,1,1,0\n1,0,0,1\n0,0,0,1\n"
    assert read(path, content, indicator=True).values.tolist() == [[0, 0], [1, 0], [0, 1], [-1, 1]]
    assert read(path, content, indicator=True).names == ["a", "b"]


def test_a_long_form_names_a_second_label(path):
    content = "cell,method,label\nx,a,1\nx,b,2\ny,a,1\ny,b,2\nx,a,3\n"
    (line,) = run(path, content, ["--long"])[1]
    assert "line 6: a second label of object 'x' in clustering 'a'" in line
    (line,) = run(path, content, ["--long", "--transpose"])[1]
    assert "--long is for objects in rows; leave --transpose out" in line


def test_a_long_form_may_lack_pairs_and_have_classes(path):
    content = "kind,cell,run,label\nu,x,1,3\nu,x,2,4\nv,y,2,4\nv,z,1,3\n"
    found = read(path, content, long=True, classes="kind")
    assert (found.ids.tolist(), found.names) == (["x", "y", "z"], ["1", "2"])
    assert found.values.tolist() == [[3, 4], [-1, 4], [3, -1]]
    found = read(path, content.replace("kind", "label2"), long=True, ids="cell", drop=["label2"])
    assert found.values.tolist() == [[3, 4], [-1, 4], [3, -1]]


@pytest.mark.parametrize("command", ["consensus", "choose-k", "compare", "report"])
def test_all_commands_that_read_a_file_have_the_options(command):
    options = {name for each in main.commands[command].params for name in (*each.opts, *each.secondary_opts)}
    expected = {"--truth", "--drop", "--id", "--no-id", "--missing", "--indicator", "--long", "--no-long", "--decimal"}
    assert options > expected | {"--scale"}


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--scale"], "--scale is for features, which need --features"),
        (["--features", "--missing", "0"], "--missing is for labels"),
        (["--features", "--indicator"], "--indicator is for labels"),
        (["--id", "r0", "--no-id"], "--no-id and --id r0 do not go together"),
        (["--truth", "r7"], "no columns named 'r7'; --truth names one"),
    ],
)
def test_options_that_do_not_go_together(path, options, what):
    (line,) = run(path, LABELS, options)[1]
    assert what in line


def test_a_decimal_comma_is_for_text_files(tmp_path):
    np.save(tmp_path / "labels.npy", BASE)
    done = CliRunner().invoke(main, ["consensus", str(tmp_path / "labels.npy"), "-k", "3", "--decimal", ","])
    assert "--decimal is for text files; leave it out" in done.stderr


def test_the_truth_beside_a_matrix_in_an_array_file(tmp_path):
    np.savez(tmp_path / "both.npz", labels=BASE, truth=TRUTH)
    np.save(tmp_path / "one.npy", np.column_stack([BASE, TRUTH]))
    for path, truth in ((tmp_path / "both.npz", "truth"), (tmp_path / "one.npy", "7")):
        np.testing.assert_array_equal(read_labels(path, Layout(classes=truth)).values, BASE)


# ---------------------------------------------------------------------- messages


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (LABELS + "total,,,,,\n", "line 62, column 'r0': 'total' is no number, but '0' is one; delete this line"),
        ("a,b\n1,2\0\n2,1\n", "it holds a NUL character: save the file again as text"),
        ("a,b\n1,0.5\n99999999999999999999,1\n1,2\n", "99999999999999999999 is too large for a label"),
    ],
)
def test_a_message_names_the_cell(path, content, what):
    (line,) = run(path, content, [])[1]
    assert what in line


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16"])
def test_another_encoding_is_named(path, encoding):
    path.write_bytes(LABELS.encode(encoding))
    done = CliRunner().invoke(main, ["consensus", str(path), "-k", "3"])
    (line,) = done.stderr.splitlines()
    assert "UTF-16" in line
    assert line.endswith("save it as UTF-8")


def test_labels_beyond_doubles_stay_distinct(path):
    large = 2**53 + BASE
    np.testing.assert_array_equal(read(path, csv(pd.DataFrame(large))).values, large)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("# made by tool 1.2\n# date 2024\na,b\n1,2\n1,1\n2,1\n", ["a", "b"]),
        ("# a,b\n1,2\n1,1\n2,1\n", ["a", "b"]),
        ("# a b\n1 2\n1 1\n2 1\n", ["a", "b"]),
        ("# made by tool\n#a\tb\n1\t2\n1\t1\n2\t1\n", ["a", "b"]),
        ("# Created by Octave 7.3.0, Fri Nov 27\n# name: E\n# rows: 3\n\n 1 2\n 1 1\n 2 1\n\n", ["1", "2"]),
        ("#id,a,b\nx,1,2\ny,1,1\nz,2,1\n", ["a", "b"]),
    ],
)
def test_leading_comments_are_skipped_and_names_after_them_read(path, content, names):
    found = read(path, content)
    assert found.names == names
    assert found.values.tolist() == [[1, 2], [1, 1], [2, 1]]


def test_colours_are_labels_and_no_comments(path):
    found = read(path, "#ff0000,#00ff00\n#ff0000,#0000ff\n#000000,#0000ff\n", header=False)
    np.testing.assert_array_equal(Ensemble(found.values).labels, [[0, 0], [0, 1], [1, 1]])


def test_a_mistake_below_comments_names_its_line(path):
    (line,) = run(path, "# tool\n# date\na,b\n1,2\n1,x\n2,1\n", [])[1]
    assert "line 5, column 'b'" in line


# ---------------------------------------------------------------------- any table of a kind

ANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
COMPLETE = st.tuples(st.integers(4, 12), st.integers(2, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 3))
)


@pytest.mark.long
@ANY
@given(labels=COMPLETE)
def test_any_indicator_matrix_is_read_as_its_clusterings(tmp_path, labels):
    labels[:2] = [[0], [1]]  # two clusters or more
    found = read(tmp_path / "any.csv", csv(indicators(labels)), indicator=True, transposed=False)
    np.testing.assert_array_equal(Ensemble(found.values).labels, Ensemble(labels).labels)


@pytest.mark.long
@ANY
@given(labels=COMPLETE, seed=st.integers(0, 9))
def test_any_long_form_is_read_as_its_clusterings(tmp_path, labels, seed):
    rows = long_form(labels).sample(frac=1, random_state=seed)
    found = read(tmp_path / "any.csv", csv(rows), long=True, transposed=False)
    order = [int(name[1:]) for name in found.ids]
    columns = [int(name[1:]) for name in found.names]
    assert (sorted(order), sorted(columns)) == ([*range(len(labels))], [*range(labels.shape[1])])
    np.testing.assert_array_equal(found.values, labels[order][:, columns])


@pytest.mark.long
@ANY
@given(
    labels=COMPLETE,
    code=st.sampled_from(["0", "-9", "-99", "99", "?", "noise", "inf", "1e999"]),
    seed=st.integers(0, 9),
)
def test_any_code_for_missing_is_read_as_missing(tmp_path, labels, code, seed):
    is_missing = np.random.default_rng(seed).random(labels.shape) < 0.3
    is_missing[0] = is_missing[:, 0] = False
    cells = np.where(is_missing, code, (labels + 1).astype(str))
    frame = pd.DataFrame(cells, columns=[f"r{j}" for j in range(labels.shape[1])])
    found = read(tmp_path / "any.csv", csv(frame), codes=[code], header=True, no_ids=True)
    np.testing.assert_array_equal(found.values, np.where(is_missing, -1, labels + 1))


@pytest.mark.long
@ANY
@given(labels=COMPLETE, lines=st.lists(st.text("abc ,;:.0", max_size=12), min_size=1, max_size=3))
def test_any_leading_comment_changes_nothing(tmp_path, labels, lines):
    frame = pd.DataFrame(labels, columns=[f"r{j}" for j in range(labels.shape[1])])
    plain = read(tmp_path / "plain.csv", csv(frame), no_ids=True)
    width = labels.shape[1]
    comments = [line for line in lines if line.count(",") != width - 1]
    found = read(tmp_path / "any.csv", "".join(f"# {line}\n" for line in comments) + csv(frame), no_ids=True)
    assert found.names == plain.names
    np.testing.assert_array_equal(found.values, plain.values)


@ANY
@given(
    values=arrays(float, (5, 3), elements=st.integers(-(10**6), 10**6).map(lambda number: number / 1000)),
    separator=st.sampled_from(";\t| "),
    header=st.booleans(),
)
def test_any_numbers_with_a_decimal_comma_are_the_same(tmp_path, values, separator, header):
    path = tmp_path / "any.csv"
    frame = pd.DataFrame(values, columns=list("abc"))
    path.write_text(csv(frame, sep=separator, decimal=",", header=header))
    found = read_features(path, Layout(decimal=",", no_ids=True), scale=True)
    np.testing.assert_allclose(found.values, scale_columns(values))


@pytest.mark.long
@ANY
@given(n_repeated=st.integers(0, 30), words=st.booleans(), place=st.sampled_from(["patient", "zpatient"]))
def test_any_ids_that_occur_up_to_twice_are_refused_with_a_remedy(tmp_path, n_repeated, words, place):
    numbers = np.arange(60) * 7 + 1000
    numbers[60 - n_repeated :] = numbers[:n_repeated]
    ids = np.array([f"p{number}" for number in numbers]) if words else numbers
    content = csv(table(**{place: ids}))
    path = tmp_path / "any.csv"
    if not (words and place == "patient" and n_repeated == 0):  # distinct words are seen
        assert f"--id {place} if these are ids" in run(path, content, [])[1][0]
    found = read(path, content, ids=place)
    np.testing.assert_array_equal(Ensemble(found.values).labels, Ensemble(BASE).labels)
    assert found.ids.astype(str).tolist() == ids.astype(str).tolist()


@given(
    values=arrays(float, (6, 3), elements=st.integers(-100, 100).map(float)),
    powers=st.lists(st.integers(-200, 100), min_size=3, max_size=3),
)
def test_scaled_features_have_no_units(values, powers):
    scaled = scale_columns(values)
    varies = np.ptp(values, axis=0) > 0
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), varies.astype(float), atol=1e-12)
    np.testing.assert_allclose(scale_columns(values * 10.0 ** np.array(powers)), scaled, atol=1e-9)
