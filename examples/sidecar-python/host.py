"""A whole session through `quarterdeck sidecar`, from Python: start, stream, approve, a tool of this program,
interrupt, end the sidecar and start it again, go on with the same session, close.

    python3 host.py

Says what happens and exits with 0, or with 1 and what was not as it should be.
"""

import os
import shlex
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

from quarterdeck_sidecar import Sidecar, SidecarError

HERE = Path(__file__).resolve().parent
AGENT = "sidecar-python"

# How to call Quarterdeck: in a checkout npx finds it, elsewhere set QUARTERDECK=quarterdeck.
COMMAND = shlex.split(os.environ.get("QUARTERDECK", "npx --no -- quarterdeck"))
# The model source: the local simulator needs no key. Set QUARTERDECK_MODEL_SOURCE=provider for a real model.
MODEL_SOURCE = os.environ.get("QUARTERDECK_MODEL_SOURCE", "simulator")

STOCK = {
    "name": "stock",
    "description": "How many pieces of an article are in stock, as this program knows it.",
    "inputSchema": {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]},
}

CLIENT = {"clientId": "host.py", "tools": [STOCK]}

LONG_COMMAND = "tail -f /dev/null"


class Host:
    """One session, and the events received from it."""

    def __init__(self, data: str) -> None:
        self.data = data
        self.cursor = 0
        self.session_id = ""
        self.events: Iterator[Dict[str, Any]] = iter(())
        self.asked: List[str] = []
        self.tool_calls: List[Dict[str, Any]] = []
        self.sidecar = self.start_sidecar()

    def start_sidecar(self) -> Sidecar:
        command = [*COMMAND, "sidecar", str(HERE / "helper.yaml"), "--data", self.data, "--model-source", MODEL_SOURCE]
        sidecar = Sidecar(command, cwd=str(HERE))
        sidecar.handle("approval.request", self.approve)
        sidecar.handle("tool.call", self.run_tool)
        ready = sidecar.ready(timeout=120)
        say(f"sidecar {ready['version']} is ready, protocol {ready['protocol']}, process {ready['pid']}")
        return sidecar

    def approve(self, approval: Dict[str, Any]) -> Dict[str, Any]:
        """A real host shows this to a person. This one allows the expected call and denies every other."""
        command = approval["toolInput"].get("command", "")
        self.asked.append(command)
        decision = "allow" if command in ("echo approved", LONG_COMMAND) else "deny"
        say(f"approval: {approval['toolName']} {command!r} -> {decision}")
        return {"decision": decision}

    def run_tool(self, call: Dict[str, Any]) -> Dict[str, Any]:
        self.tool_calls.append(call["toolInput"])
        say(f"tool: {call['toolName']} {call['toolInput']}")
        return {"output": f"{call['toolInput'].get('article')}: 7 pieces"}

    def subscribe(self) -> None:
        self.events = self.sidecar.events(self.session_id, after=self.cursor, handles=["approvals", "tools"])

    def turn(self, message: str, on_event: Optional[Callable[[Dict[str, Any]], None]] = None) -> Dict[str, Any]:
        """Sends a message, prints the answer as it streams, and returns the outcome of the turn."""
        say(f"> {message}")
        self.sidecar.call("session.message", sessionId=self.session_id, content=message)
        ended: Dict[str, Any] = {}
        streamed = 0
        for event in self.events:
            self.cursor = event.get("seq", self.cursor)
            data = event.get("data", {})
            if event["type"] == "AgentStreamToken" and data["kind"] == "text":
                streamed += 1
                print(data["text"], end="", flush=True)
            elif event["type"] == "AgentThought":
                print(flush=True)
            elif event["type"] == "TurnEnded":
                ended = {"outcome": data["outcome"], "text": data["result"]["response"], "streamed": streamed}
            elif event["type"] == "AgentSessionStatusChanged" and ended:
                return ended
            if on_event is not None:
                on_event(event)
        raise SidecarError(0, "the events ended in the middle of a turn")

    def interrupt(self) -> None:
        self.sidecar.call("session.interrupt", sessionId=self.session_id)

    def interrupt_when_it_runs(self) -> Callable[[Dict[str, Any]], None]:
        """Interrupts while the approved command runs, in the middle of a turn."""

        def on_event(event: Dict[str, Any]) -> None:
            if event["type"] == "ApprovalDecided":
                threading.Timer(0.2, self.interrupt).start()

        return on_event


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="sidecar-python-") as data:
        host = Host(data)
        try:
            whole_session(host)
        finally:
            host.sidecar.close()


def whole_session(host: Host) -> None:
    host.session_id = host.sidecar.call("session.start", agent=AGENT, client=CLIENT)["sessionId"]
    say(f"session {host.session_id}")
    host.subscribe()

    met = host.turn("My name is Ada")
    check("a message is answered, and its text streams", met["outcome"] == "completed" and met["streamed"] > 0)

    ran = host.turn("run `echo approved`")
    check("a command runs once this program has allowed it", host.asked == ["echo approved"] and "approved" in ran["text"])

    told = host.turn('use stock {"article": "pears"}')
    check("the model calls a tool of this program", host.tool_calls == [{"article": "pears"}] and "7 pieces" in told["text"])

    stopped = host.turn(f"run `{LONG_COMMAND}`", host.interrupt_when_it_runs())
    check("a running turn can be interrupted", stopped["outcome"] == "interrupted")

    code = host.sidecar.close()
    check("the sidecar ends with its input", code == 0)
    host.sidecar = host.start_sidecar()
    # A new connection has to declare the tools of this program again.
    host.sidecar.call("session.attach", sessionId=host.session_id, **CLIENT)
    host.subscribe()
    again = host.turn("What is my name?")
    check("a new sidecar goes on with the session where it was", "Ada" in again["text"])
    host.turn('use stock {"article": "plums"}')
    check("and calls the tools of this program", host.tool_calls[-1] == {"article": "plums"})

    try:
        host.sidecar.call("session.interrupt", sessionId=host.session_id)
        check("nothing runs any more", False)
    except SidecarError as error:
        check("what is refused has a code of its own", error.problem_code == "session.not-running")

    host.sidecar.call("session.close", sessionId=host.session_id)
    state = host.sidecar.call("session.get", sessionId=host.session_id)["session"]
    check("the session is closed", state["status"] == "completed")
    check("and this sidecar ends too", host.sidecar.close() == 0)


def say(words: str) -> None:
    print(f"[host] {words}", flush=True)


def check(what: str, holds: bool) -> None:
    if not holds:
        raise AssertionError(f"not so: {what}")
    say(f"ok: {what}")


if __name__ == "__main__":
    try:
        main()
    except (AssertionError, SidecarError) as error:
        print(f"[host] {error}", file=sys.stderr)
        sys.exit(1)
