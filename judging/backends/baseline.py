"""A text classifier fitted on the train pile: offline, free, and the bar every paid judge must beat.

Words and pairs of words of the reply, the request and the facts, weighted by TF-IDF, go into a
logistic regression. Fitted on the same labels it gives the same verdicts, to the last digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from judging.backends.base import BackendFacts
from judging.calls import Draft
from store.errors import BadInput
from store.identity import content_hash, short_hash
from store.project import Project
from store.records import AnyTrace, Decision, JudgeKind, JudgeVersion, Order, Pair, PileName, Trace

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

TRAINING: Final = "training"
"""Parameter of a judge version that names the training set it was made with."""

FEWEST: Final = 3
"""Labels of each class below which a fit would only repeat the rows it saw."""

_SEED: Final = 0
_SHOWN: Final = 4
"""Words named for either verdict in a critique."""
_LEAST: Final = 0.005
"""Weight below which a word is not named: it would read as 0.00."""


@dataclass(frozen=True)
class TrainingSet:
    """The labelled rows of one criterion's train pile."""

    traces: tuple[str, ...]
    texts: tuple[str, ...]
    verdicts: tuple[str, ...]
    """"pass" or "fail", one for each text."""

    @property
    def hash(self) -> str:
        """Content hash over rows and verdicts, in the order of their ids."""
        return content_hash(sorted(zip(self.traces, self.texts, self.verdicts, strict=True)))


def training_set(project: Project, criterion: str) -> TrainingSet:
    """Give what a baseline for a criterion is fitted on: the labelled rows of train, nothing else."""
    labels = project.open_reference(criterion).labels
    members = sorted(project.piles.members(criterion, PileName.TRAIN))
    rows = [trace for trace in members if trace in labels]
    return TrainingSet(
        tuple(rows),
        tuple(text_of(project.traces.get(trace)) for trace in rows),
        tuple(str(labels[trace].verdict) for trace in rows),
    )


def training_params(project: Project, criterion: str) -> Mapping[str, str]:
    """Give the parameter that ties a new baseline judge to the labels of train as they are now."""
    return {TRAINING: training_set(project, criterion).hash}


def text_of(trace: AnyTrace) -> str:
    """Give the text the classifier sees: reply, request, facts.

    Raises:
        BadInput: The trace is a pair.
    """
    if isinstance(trace, Pair):
        raise BadInput(f"trace {trace.id!r} is a pair: the baseline judges single traces only")
    return "\n".join([trace.output, trace.input, *trace.facts.values()])


class BaselineBackend:
    """Judges rows by a classifier that has been fitted."""

    def __init__(self, training: TrainingSet) -> None:
        """Fit the classifier; takes some seconds the first time, for importing scikit-learn.

        Raises:
            BadInput: There are too few labels, or all are of one class.
        """
        _check(training)
        self.training = training
        self._fit = _Fit.on(training)

    @classmethod
    def fitted_for(cls, judge: JudgeVersion, project: Project) -> Self:
        """Fit the baseline of a judge version.

        Raises:
            BadInput: The judge is not a pass/fail one, train cannot carry a fit, or train has changed
                since the version was made.
        """
        return cls(check_fit(judge, project))

    def facts(self) -> BackendFacts:
        """Say that nothing leaves this machine."""
        return BackendFacts("baseline")

    def judge(self, trace: AnyTrace, order: Order | None) -> Draft:
        """Judge one row; the critique names the words that decided and how sure the model is."""
        if not isinstance(trace, Trace):
            raise BadInput(f"trace {trace.id!r} is a pair: the baseline judges single traces only")
        return self._fit.judge(text_of(trace), self._about())

    def _about(self) -> str:
        counts = Counter(self.training.verdicts)
        return (
            f"fitted on {len(self.training.verdicts)} labels of train ({counts[Decision.PASS]} pass, "
            f"{counts[Decision.FAIL]} fail), set {short_hash(self.training.hash)}"
        )


def check_fit(judge: JudgeVersion, project: Project) -> TrainingSet:
    """Give the training set of a judge version, once it is sure that a baseline can be fitted on it.

    Raises:
        BadInput: As `BaselineBackend.fitted_for`.
    """
    if judge.kind is not JudgeKind.PASS_FAIL:
        raise BadInput(f"judge {judge.name!r} is {judge.kind}: the baseline judges pass or fail only")
    training = training_set(project, judge.criterion)
    made_with = judge.params.get(TRAINING)
    if isinstance(made_with, str) and made_with != training.hash:
        raise BadInput(
            f"the labels of train have changed since judge {judge.name!r} was made: fitted on them it "
            "would be another judge. Make the next version with `adjudge judge new "
            f"{judge.name} --criterion {judge.criterion} --backend baseline`"
        )
    _check(training)
    return training


def _check(training: TrainingSet) -> None:
    counts = Counter(training.verdicts)
    short = [f"{counts[word]} {word}" for word in (Decision.PASS, Decision.FAIL) if counts[word] < FEWEST]
    if short:
        raise BadInput(
            f"the train pile holds too few labels, only {' and '.join(short)}: the baseline needs at least "
            f"{FEWEST} of each to be fitted. Label more traces (`adjudge label`), then deal them with "
            "`adjudge split`"
        )


@dataclass(frozen=True)
class _Weighed:
    word: str
    weight: float
    """Above 0 speaks for pass, below 0 for fail."""


@dataclass(frozen=True)
class _Fit:
    vectorizer: TfidfVectorizer
    model: LogisticRegression
    names: Sequence[str]

    @classmethod
    def on(cls, training: TrainingSet) -> _Fit:
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression

        vectorizer = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"(?u)\b\w+\b", sublinear_tf=True)
        try:
            features = vectorizer.fit_transform(training.texts)
        except ValueError as error:
            raise BadInput(f"the train pile's texts hold no word to learn from ({error})") from error
        # liblinear: exact on few rows, and the same on every machine for one seed.
        model = LogisticRegression(class_weight="balanced", solver="liblinear", random_state=_SEED)
        model.fit(features, [verdict == Decision.PASS for verdict in training.verdicts])
        return cls(vectorizer, model, vectorizer.get_feature_names_out())

    def judge(self, text: str, about: str) -> Draft:
        row = self.vectorizer.transform([text])
        passing = float(self.model.predict_proba(row)[0, 1])
        verdict = Decision.PASS if passing >= 0.5 else Decision.FAIL
        weighed = [
            _Weighed(str(self.names[column]), float(value * self.model.coef_[0, column]))
            for column, value in zip(row.indices, row.data, strict=True)
        ]
        return Draft(verdict, _critique(passing, weighed), detail=about)


def _critique(passing: float, weighed: Sequence[_Weighed]) -> str:
    """Put into words what decided: the words with the largest weight for either verdict."""
    lines = [f"Probability of pass {passing:.2f}, by words alone."]
    if not weighed:
        return f"{lines[0]} No word of this row occurs in train, so only the balance of the classes speaks."
    for verdict, sign in ((Decision.FAIL, -1.0), (Decision.PASS, 1.0)):
        # Ties are broken by the word, so the same fit always gives the same text.
        told = (one for one in weighed if one.weight * sign >= _LEAST)
        strongest = sorted(told, key=_strongest_first)[:_SHOWN]
        named = ", ".join(f'"{one.word}" ({one.weight:+.2f})' for one in strongest)
        lines.append(f"For {verdict}: {named or 'nothing'}.")
    return " ".join(lines)


def _strongest_first(one: _Weighed) -> tuple[float, str]:
    return (-abs(one.weight), one.word)
