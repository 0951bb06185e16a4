"""The client with a misbehaving sidecar or program: python3 -m unittest

The sidecar here is this file itself, run with --sidecar.
"""

import json
import sys
import threading
import time
import unittest
from typing import Any, Callable, Dict

from quarterdeck_sidecar import MAX_WAITING_EVENTS, Sidecar, SidecarError

EVENTS = 5 * MAX_WAITING_EVENTS
PATIENCE = 60.0


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError("it never came to be")
        time.sleep(0.005)


class SidecarTest(unittest.TestCase):
    def setUp(self) -> None:
        self.sidecar = Sidecar([sys.executable, __file__, "--sidecar"])
        self.addCleanup(self.sidecar.close)

    def test_passes_over_lines_that_are_no_messages(self) -> None:
        self.assertEqual(self.sidecar.ready(PATIENCE), {"protocol": 2})
        self.assertEqual(self.sidecar.call("echo", words="hi"), {"words": "hi"})

    def test_ends_its_calls_with_the_sidecar(self) -> None:
        with self.assertRaises(SidecarError):
            self.sidecar.call("die")
        with self.assertRaises(SidecarError):
            self.sidecar.call("echo")

    def test_asks_at_once_however_many_wait_for_a_person(self) -> None:
        together = threading.Barrier(40)

        def approve(_: Dict[str, Any]) -> Dict[str, Any]:
            together.wait(PATIENCE)
            return {"decision": "allow"}

        self.sidecar.handle("approval.request", approve)
        self.assertEqual(self.sidecar.call("ask", count=40), {"allowed": 40})

    def test_asks_once_and_answers_the_last_who_asked(self) -> None:
        asked = []

        def approve(approval: Dict[str, Any]) -> Dict[str, Any]:
            asked.append(approval["approvalId"])
            self.sidecar.call("ask.again", approvalId=approval["approvalId"])
            return {"decision": "allow"}

        self.sidecar.handle("approval.request", approve)
        self.assertEqual(self.sidecar.call("ask", count=1, onlyAgain=True), {"allowed": 1})
        self.assertEqual(len(asked), 1)

    def test_loses_nothing_for_a_slow_reader_and_keeps_little(self) -> None:
        events = self.sidecar.events("s")
        inbox = self.sidecar._subscriptions["s"]
        until(lambda: inbox.is_full)
        self.sidecar.call("echo")  # works meanwhile
        self.assertLessEqual(inbox._notes.qsize(), MAX_WAITING_EVENTS + 1)
        self.assertEqual([next(events)["seq"] for _ in range(EVENTS)], list(range(1, EVENTS + 1)))

    def test_leaves_a_session_that_is_read_no_further(self) -> None:
        for event in self.sidecar.events("s"):
            if event["seq"] == 3:
                break
        until(lambda: self.sidecar.call("left") == {"sessions": ["s"]})

    def test_ends_a_subscription_with_the_next_of_its_session(self) -> None:
        first = self.sidecar.events("s", after=EVENTS - 1)
        second = self.sidecar.events("s", after=EVENTS - 2)
        self.assertEqual([event["seq"] for event in first], [EVENTS])
        self.assertEqual([next(second)["seq"], next(second)["seq"]], [EVENTS - 1, EVENTS])
        first.close()
        self.assertEqual(self.sidecar.call("left"), {"sessions": []})


def sidecar() -> None:
    """A minimal sidecar for the tests."""
    left = []
    asks: Dict[str, Any] = {}

    def say(message: Any) -> None:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()

    def ask(request_id: str, approval_id: str) -> None:
        say({"id": request_id, "method": "approval.request", "params": {"approvalId": approval_id}})

    say({"method": "server.ready", "params": {"protocol": 2}})
    sys.stdout.write("not JSON\n\n[1]\n7\n{\"method\":\"session.event\"}\n{\"method\":\"session.event\",\"params\":3}\n")
    for line in sys.stdin:
        message = json.loads(line)
        method, params = message.get("method"), message.get("params", {})
        result: Any = {}
        if method is None:
            # An answer to a request.
            if asks["only_again"] and not message["id"].endswith("again"):
                continue
            asks["open"] -= message["result"]["decision"] == "allow"
            if asks["open"] == 0:
                say({"id": asks["id"], "result": {"allowed": asks["count"]}})
            continue
        if method == "ask":
            count = params["count"]
            asks = {"id": message["id"], "count": count, "open": count, "only_again": "onlyAgain" in params}
            for number in range(count):
                ask(f"ask-{number}", f"apr-{number}")
            continue
        if method == "ask.again":
            ask("ask-again", params["approvalId"])
        if method == "die":
            sys.exit(1)
        if method == "echo":
            result = params
        if method == "left":
            result = {"sessions": left}
        if method == "session.unsubscribe":
            left.append(params["sessionId"])
        say({"id": message["id"], "result": result})
        if method == "session.subscribe":
            for seq in range(params["after"] + 1, EVENTS + 1):
                say({"method": "session.event", "params": {"sessionId": params["sessionId"], "event": {"seq": seq}}})


if __name__ == "__main__":
    if "--sidecar" in sys.argv:
        sidecar()
    else:
        unittest.main()
