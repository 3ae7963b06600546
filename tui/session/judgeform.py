"""The form of a new judge version: what is asked for, what applies, and the version it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from judging.authoring import JudgeOrder, make_judge
from judging.backends.code import MATCH, NO_MATCH
from judging.pricing import load_prices
from judging.recipes import RECIPES, REDUCERS, TIERS
from store.errors import BadInput
from store.project import Project
from store.records import Criterion, Json, JudgeKind, JudgeVersion, Label, PileName
from tui.session.judgefields import (
    ANTHROPIC,
    BACKEND_WORDS,
    BACKENDS_OF,
    BASELINE,
    CODE,
    NO,
    OF_PATTERNS,
    OF_REDUCERS,
    TYPED,
    YES,
    ExampleChoice,
    JudgeFields,
    Made,
    fields_of,
    names_in,
    number_in,
    pattern_params,
    whole_in,
)
from tui.session.naming import versioned_name

_USUAL_EXAMPLES: Final = 4


class JudgeForm:
    """The next version of a judge, or the first of a new one.

    Args:
        project: The open project.
        criterion: The newest version of the standard, which the judge is made for.
        parent: The version to go on from; None begins with what is usual.
    """

    def __init__(self, project: Project, criterion: Criterion, parent: JudgeVersion | None = None) -> None:
        self.project = project
        self.criterion = criterion
        self.parent = parent
        self._pool: tuple[ExampleChoice, ...] | None = None
        self.fields = self._usual() if parent is None else fields_of(parent, self.pool_labels())
        self.begun = self.fields
        """As the form was opened."""

    # What it begins with ------------------------------------------------------------------------

    def _usual(self) -> JudgeFields:
        known = self.project.judges.all(self.criterion.name)
        last = next((one for one in reversed(known) if one.backend == ANTHROPIC), None)
        examples = 0 if self._without_examples else min(_USUAL_EXAMPLES, len(self.pool_labels()))
        return JudgeFields(
            name=f"{self.criterion.name}_judge",
            model=last.model if last else "",
            base_url=last.base_url if last else "",
            examples=str(examples),
        )

    @property
    def changed(self) -> bool:
        """Whether something in the form would be lost by closing it."""
        return self.fields != self.begun

    # What may be chosen -------------------------------------------------------------------------

    @property
    def backends(self) -> tuple[str, ...]:
        """Where verdicts may come from."""
        return BACKENDS_OF.get(self.criterion.kind, (ANTHROPIC,))

    @property
    def reducers(self) -> tuple[str, ...]:
        """What may make one verdict of several candidates; "" is the usual one."""
        return ("", *(name for name, one in REDUCERS.items() if self.criterion.kind in one.kinds))

    @property
    def _without_examples(self) -> bool:
        return self.criterion.kind is JudgeKind.SCORECARD

    @property
    def reducer(self) -> str:
        """The reducer that will be used."""
        if self.fields.tier:
            return str(TIERS[self.fields.tier].params.get("reducer", "first"))
        if self.fields.reducer:
            return self.fields.reducer
        several = self.fields.samples.strip() not in ("", "1") or len(names_in(self.fields.model)) > 1
        if not several:
            return "first"
        return "median" if self.criterion.kind is JudgeKind.SCORECARD else "majority"

    def turn(self, field: str, by: int) -> None:
        """Go to the next or previous value of a choice, round and round."""
        values = {
            "backend": self.backends,
            "tier": ("", *TIERS),
            "recipe": tuple(RECIPES),
            "reducer": self.reducers,
            "pass_when": (MATCH, NO_MATCH),
            "ignore_case": (NO, YES),
        }[field]
        now = getattr(self.fields, field)
        at = values.index(now) if now in values else 0
        self.take(**{field: values[(at + by) % len(values)]})

    def take(self, **texts: str) -> None:
        """Take other values of fields, by name."""
        self.fields = replace(self.fields, **texts)  # type: ignore[arg-type]

    def pick(self, picked: tuple[str, ...]) -> None:
        """Take examples chosen by hand, and no others besides."""
        self.fields = replace(self.fields, picked=picked, examples=str(len(picked)))

    def words(self, field: str) -> str:
        """Say what a choice means."""
        fields = self.fields
        if field == "backend":
            return BACKEND_WORDS[fields.backend]
        if field == "pass_when":
            return "found in it" if fields.pass_when == MATCH else "not found in it"
        if field == "ignore_case":
            return "mean nothing" if fields.ignore_case == YES else "count"
        if field == "tier":
            return (
                f"{fields.tier}: {TIERS[fields.tier].description}" if fields.tier else "none, as chosen below"
            )
        if field == "recipe":
            return f"{fields.recipe}: {RECIPES[fields.recipe].description}"
        if fields.reducer:
            return f"{fields.reducer}: {REDUCERS[fields.reducer].description}"
        return f"the usual: {self.reducer}"

    def applies(self, field: str) -> bool:
        """Say whether a field has a meaning with what is chosen."""
        if field in ("name", "backend"):
            return field == "name" or len(self.backends) > 1
        if field in OF_PATTERNS:
            return self.fields.backend == CODE
        if self.fields.backend != ANTHROPIC:
            return False
        if field in ("recipe", "samples", "reducer"):
            return not self.fields.tier
        if field == "critic_model":
            return self.reducer == "critique"
        return field not in ("picked", "examples") or not self._without_examples

    def model_names(self) -> tuple[str, ...]:
        """Give the models whose price is known, to be completed while typing."""
        return tuple(load_prices().models)

    # Examples -----------------------------------------------------------------------------------

    def pool_labels(self) -> Mapping[str, Label]:
        """Give the labelled rows of train; no other row is ever offered as an example."""
        labels = self.project.open_reference(self.criterion.name).labels
        members = self.project.piles.members(self.criterion.name, PileName.TRAIN)
        return {trace: labels[trace] for trace in members if trace in labels}

    def pool(self) -> tuple[ExampleChoice, ...]:
        """Give what may be picked, borderline rows first: those with a note, then those long thought over.

        Raises:
            StoreError: A trace cannot be read.
        """
        if self._pool is None:

            def teaches(label: Label) -> tuple[bool, float, str]:
                return (not label.note.strip(), -(label.seconds or 0.0), label.trace)

            ordered = sorted(self.pool_labels().values(), key=teaches)
            self._pool = tuple(
                ExampleChoice(label, self.project.traces.get(label.trace).input) for label in ordered
            )
        return self._pool

    # What comes of it ---------------------------------------------------------------------------

    @property
    def kept(self) -> Mapping[str, Json]:
        """Parameters of the version before that have no field here and stay as they are."""
        if self.parent is None or self.parent.backend != ANTHROPIC or self.fields.backend != ANTHROPIC:
            return {}
        return {
            name: value
            for name, value in self.parent.params.items()
            if name not in TYPED and self.reducer in OF_REDUCERS.get(name, (self.reducer,))
        }

    def outlook(self) -> str:
        """Say which version would be made."""
        known = self.project.judges.named(self.fields.name.strip())
        what = f"makes {self.fields.name.strip() or '(no name)'} v{len(known) + 1}"
        what += f" for {self.criterion.name} v{self.criterion.version}"
        if self.parent is not None:
            what += f", from {versioned_name(self.project, self.parent)}"
        if self.kept:
            what += f"; stays as it was: {', '.join(name.replace('_', ' ') for name in self.kept)}"
        return what

    def order(self) -> JudgeOrder:
        """Give what the form asks for.

        Raises:
            BadInput: A field cannot be used; the message begins with its name.
        """
        fields = self.fields
        name = fields.name.strip()
        if not name or "@" in name:
            raise BadInput("name: a judge needs one, without @")
        elsewhere = [one for one in self.project.judges.named(name) if one.criterion != self.criterion.name]
        if elsewhere:
            raise BadInput(f"name: {name} is a judge of {elsewhere[0].criterion}, choose another name")
        parent = self.parent.hash if self.parent else None
        if fields.backend == BASELINE:
            return JudgeOrder(name, self.criterion.name, backend=BASELINE, parent=parent)
        if fields.backend == CODE:
            params = pattern_params(fields)
            return JudgeOrder(name, self.criterion.name, backend=CODE, params=params, parent=parent)
        models = names_in(fields.model)
        if not models:
            raise BadInput("model: type which model judges; the right arrow completes a known name")
        return JudgeOrder(
            name=name,
            criterion=self.criterion.name,
            recipe="" if fields.tier else fields.recipe,
            tier=fields.tier,
            model=models[0],
            base_url=fields.base_url.strip(),
            params=self._params(models),
            examples=self._examples(),
            example_ids=() if self._without_examples else fields.picked,
            parent=parent,
        )

    def _params(self, models: tuple[str, ...]) -> dict[str, Json]:
        fields = self.fields
        params = dict(self.kept)
        if len(models) > 1:
            params["models"] = list(models)
        if not fields.tier and fields.samples.strip():
            params["n"] = whole_in(fields.samples, "candidates")
        if not fields.tier and fields.reducer:
            params["reducer"] = fields.reducer
        if self.reducer == "critique" and fields.critic_model.strip():
            params["critic_model"] = fields.critic_model.strip()
        if fields.temperature.strip():
            params["temperature"] = number_in(fields.temperature, "temperature")
        if fields.max_tokens.strip():
            params["max_tokens"] = whole_in(fields.max_tokens, "max tokens")
        return params

    def _examples(self) -> int:
        if self._without_examples:
            return 0
        wanted = whole_in(self.fields.examples or "0", "examples")
        there = len(self.pool_labels())
        if wanted > there:
            raise BadInput(
                f"examples: {wanted} were asked for, train holds {there} labelled rows; "
                "on Home, s deals labelled rows into piles"
            )
        return wanted

    def make(self) -> Made:
        """Write the version; the same one is not written twice.

        Raises:
            BadInput: A field or a combination of them cannot be used.
            StoreError: It could not be written.
        """
        order = self.order()
        before = len(self.project.judges.named(order.name))
        try:
            judge = make_judge(self.project, order)
        except ValueError as error:
            raise BadInput(str(error)) from error
        return Made(judge, len(self.project.judges.named(order.name)) > before)
