"""One call from its turn to its record: paced, tried again, priced, written down, and shared.

An answer that was paid for before is taken from the book; a call that is under way already is
waited for, not made twice.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from random import Random

from judging.backends import CallBackend
from judging.calls import Answer, Call, Failure, Reply
from judging.running.answered import AnsweredCalls
from judging.running.breaker import Breaker
from judging.running.clock import Clock, stamp, stamp_after
from judging.running.control import Control, RunStopping, Stop
from judging.running.limiter import Limiter
from judging.running.policy import PASSING, RunPolicy
from judging.running.recording import Recorder
from judging.running.spending import Spending
from store.records import Reason
from store.runrecords import CallRecord, RunState, Waiting
from store.runs import Entry

_SLOWING = frozenset({Reason.RATE_LIMITED, Reason.OVERLOADED})


@dataclass(frozen=True)
class Told:
    """A reply with its record."""

    reply: Reply
    record: CallRecord
    reused: bool
    """Whether it had been paid for before."""


@dataclass
class _Trial:
    """The attempts of one call so far."""

    call: Call
    rounds: int = 0
    """Attempts the runner made."""
    attempts: int = 0
    """HTTP attempts, those a backend made by itself included."""
    lost_usd: float = 0.0
    """Estimated cost of attempts without an answer."""
    last: Failure | None = None


@dataclass(frozen=True)
class Caller:
    """Makes calls for all rows of one run."""

    backend: CallBackend
    limiter: Limiter
    control: Control
    breaker: Breaker
    spending: Spending
    recorder: Recorder
    answered: AnsweredCalls
    policy: RunPolicy
    clock: Clock
    random: Random
    under_way: dict[str, asyncio.Future[Told]]
    """Calls that have begun and not ended, by key."""

    async def ask(self, call: Call) -> Told:
        """Give the reply to a call, from the book or from the backend.

        Raises:
            RunStopping: The run stops before there was a reply.
        """
        known = self.answered.get(call.key)
        if known is not None:
            return Told(_as_answer(known), known, reused=True)
        twin = self.under_way.get(call.key)
        if twin is not None:
            return replace(await asyncio.shield(twin), reused=True)
        ours: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self.under_way[call.key] = ours
        try:
            told = await self._until_it_ends(_Trial(call))
        except BaseException as error:
            ours.set_exception(RunStopping() if isinstance(error, asyncio.CancelledError) else error)
            ours.exception()
            raise
        else:
            ours.set_result(told)
            return told
        finally:
            del self.under_way[call.key]

    async def _until_it_ends(self, trial: _Trial) -> Told:
        try:
            while True:
                reply = await self._one_attempt(trial)
                if isinstance(reply, Answer):
                    return self._keep_answer(trial, reply)
                ended = await self._after_failure(trial, reply)
                if ended is not None:
                    return self._keep_failure(trial, ended)
        except RunStopping:
            if trial.last is not None:
                self._keep_failure(trial, trial.last)
            raise

    async def _one_attempt(self, trial: _Trial) -> Reply:
        await self.limiter.acquire(ahead=trial.rounds > 0)
        try:
            await self.recorder.answers_safe(but=self.limiter.most)
            self.control.check()
            if self.spending.exhausted(self.limiter.in_flight - 1):
                self.control.request_stop(Stop(RunState.STOPPED, self.spending.in_words()))
                raise RunStopping
            reply = await self._guarded(trial.call)
        finally:
            self.limiter.release()
        trial.rounds += 1
        trial.attempts += reply.attempts
        return reply

    async def _guarded(self, call: Call) -> Reply:
        try:
            return await self.backend.ask(call)
        except Exception as error:
            # A fault in a backend costs its row, not the run.
            return Failure(Reason.ERROR, f"{type(error).__name__}: {error}")

    # After an attempt -------------------------------------------------------------------------------

    async def _after_failure(self, trial: _Trial, failure: Failure) -> Failure | None:
        """Wait for the next attempt and give None, or give the failure that the call ends with."""
        trial.last = failure
        trial.lost_usd += self.spending.of_failure(trial.call, failure).usd or 0.0
        if failure.fatal:
            self.breaker.fatal(failure)
            return failure
        if (failure.retry_after or 0.0) > self.policy.longest_wait:
            return self._too_long(failure)
        self._slow_down(failure)
        if trial.rounds >= self.policy.attempts_for(failure.reason):
            return self._given_up(trial, failure)
        await self._wait(trial, failure)
        return None

    def _given_up(self, trial: _Trial, failure: Failure) -> Failure:
        if failure.reason in PASSING:
            self.breaker.given_up(failure)
        else:
            self.breaker.answered()
        if trial.rounds == 1:
            return failure
        return replace(failure, detail=f"{failure.detail} (after {trial.rounds} attempts)")

    def _too_long(self, failure: Failure) -> Failure:
        until = stamp_after(self.clock, failure.retry_after or 0.0)
        detail = (
            f"{failure.detail}; the server asks to wait until {until}, longer than the "
            f"{self.policy.longest_wait:.0f} s a run waits"
        )
        self.limiter.one_at_a_time()
        self._say(detail, failure, until)
        self.breaker.told_to_wait(f"{detail}: resume it then")
        return replace(failure, detail=detail)

    def _slow_down(self, failure: Failure) -> None:
        asked = failure.retry_after
        if failure.reason in _SLOWING:
            if self.limiter.cut(asked):
                self._say(f"{failure.reason}: down to {self.limiter.limit} calls at once", failure)
        else:
            self.limiter.trouble()
        if failure.reason is Reason.RATE_LIMITED and asked and self.limiter.hold(asked):
            until = stamp_after(self.clock, asked)
            self._say(f"rate-limited: all calls wait {asked:.0f} s, as the server asked", failure, until)

    async def _wait(self, trial: _Trial, failure: Failure) -> None:
        if failure.reason is Reason.RATE_LIMITED and failure.retry_after:
            # The whole queue is held that long; a little scatter keeps it from coming back as one.
            await self.control.sleep(self.random.uniform(0.0, 0.25))
            return
        seconds = self.policy.backoff(failure, trial.rounds, self.random)
        number = f" (request {failure.request_id})" if failure.request_id else ""
        self._say(
            f"{failure.reason}{number}: attempt {trial.rounds + 1} of "
            f"{self.policy.attempts_for(failure.reason)} in {seconds:.1f} s",
            failure,
            stamp_after(self.clock, seconds),
        )
        await self.control.sleep(seconds)

    def _say(self, text: str, failure: Failure, until: str = "") -> None:
        self.recorder.put(Entry(waiting=Waiting(text, failure.reason, until, stamp(self.clock.now()))))

    # Records ----------------------------------------------------------------------------------------

    def _keep_answer(self, trial: _Trial, answer: Answer) -> Told:
        self.limiter.answered()
        self.breaker.answered()
        bill = self.spending.of_answer(trial.call, answer)
        price = bill.price
        if trial.lost_usd:
            price += f"; with ${trial.lost_usd:.6f} estimated for attempts without an answer"
        record = CallRecord(
            key=trial.call.key,
            text=answer.text,
            stop_reason=answer.stop_reason,
            usage=answer.usage,
            cost_usd=None if bill.usd is None else bill.usd + trial.lost_usd,
            price=price,
            seconds=round(answer.seconds, 3),
            model=answer.model,
            request_id=answer.request_id,
            attempts=trial.attempts,
            detail=answer.stop_detail,
            at=stamp(self.clock.now()),
        )
        self.answered.add(record)
        self.recorder.put(Entry(call=record))
        return Told(answer, record, reused=False)

    def _keep_failure(self, trial: _Trial, failure: Failure) -> Told:
        record = CallRecord(
            key=trial.call.key,
            text="",
            stop_reason=None,
            cost_usd=trial.lost_usd,
            price="estimated, since no answer came" if trial.lost_usd else "",
            seconds=round(failure.seconds, 3),
            request_id=failure.request_id,
            attempts=trial.attempts,
            reason=failure.reason,
            detail=failure.detail,
            status=failure.status,
            at=stamp(self.clock.now()),
        )
        self.recorder.put(Entry(call=record))
        return Told(failure, record, reused=False)


def _as_answer(record: CallRecord) -> Answer:
    return Answer(
        record.text,
        record.stop_reason,
        record.usage,
        record.model,
        record.request_id,
        record.seconds or 0.0,
        record.attempts,
        record.detail,
    )
