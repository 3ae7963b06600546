"""The bill of a run: what was spent, what is under way, and whether the budget allows one more call."""

from __future__ import annotations

from dataclasses import dataclass

from judging.calls import Answer, Call, Failure
from judging.pricing import Money, PriceTable, cost, estimate_request_tokens
from store.records import Usage


@dataclass(frozen=True)
class Bill:
    """What one call cost."""

    usd: float | None
    """None when no price is known."""
    price: str


class Spending:
    """Adds up a run's money; failed attempts whose answer may be on the bill count by an estimate."""

    def __init__(
        self, budget_usd: float | None, *, spent: float = 0.0, prices: PriceTable | None = None
    ) -> None:
        """Begin.

        Args:
            budget_usd: US dollars that are not to be exceeded; None: no limit.
            spent: What earlier processes of the same run have spent.
            prices: The shipped table when not given.
        """
        self.budget_usd = budget_usd
        self.spent = spent
        self._prices = prices
        self._answers = 0
        self._answered_usd = 0.0

    def of_answer(self, call: Call, answer: Answer) -> Bill:
        """Price an answer by the model that was asked for, and add it."""
        bill = self._price(answer.usage, call.request.model)
        if bill.usd is not None:
            self.spent += bill.usd
            self._answers += 1
            self._answered_usd += bill.usd
        return bill

    def of_failure(self, call: Call, failure: Failure) -> Bill:
        """Price a failed attempt and add it: nothing, unless a server took the request and never answered."""
        if not failure.may_have_cost:
            return Bill(0.0, "")
        asked = self._price(Usage(estimate_request_tokens(call.request)), call.request.model)
        if asked.usd is None:
            return asked
        estimated = max(asked.usd, self._mean)
        self.spent += estimated
        return Bill(estimated, f"estimated, since no answer came; {asked.price}")

    def exhausted(self, in_flight: int) -> bool:
        """Say whether one more call might exceed the budget.

        Args:
            in_flight: Calls under way, the one in question not counted; each is taken to cost the mean.
        """
        if self.budget_usd is None:
            return False
        return self.spent + in_flight * self._mean >= self.budget_usd

    def in_words(self) -> str:
        """Say that the budget is used up."""
        budget = 0.0 if self.budget_usd is None else self.budget_usd
        return f"the budget of ${budget:g} is used up: ${self.spent:.4f} spent"

    @property
    def _mean(self) -> float:
        return self._answered_usd / self._answers if self._answers else 0.0

    def _price(self, usage: Usage, model: str) -> Bill:
        money = cost(usage, model, prices=self._prices)
        return Bill(money.usd, money.price) if isinstance(money, Money) else Bill(None, money.reason)
