"""A client for `quarterdeck sidecar`: agent sessions in a child process, JSON-RPC 2.0 over its pipes.

Standard library only, Python 3.9 or newer. Copy this file into your project.

    with Sidecar(["quarterdeck", "sidecar", "agents"]) as sidecar:
        session_id = sidecar.call("session.start", agent="hello", message="hi")["sessionId"]
        for event in sidecar.events(session_id):
            print(event["type"])
            if event["type"] == "TurnEnded":
                break

Every method, notification and error: docs/reference/sidecar.md.
"""

import json
import queue
import subprocess
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence

Json = Dict[str, Any]


class SidecarError(Exception):
    """What the sidecar refused, or that it is gone. `problem_code` is Quarterdeck's own word, such as session.not-found."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.problem_code = data.get("code") if isinstance(data, dict) else None


class SubscriptionEnded(Exception):
    """No more events will come of this subscription: subscribe again behind the last event that was seen."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Sidecar:
    """One child process. Safe to use from any thread."""

    def __init__(
        self, command: Sequence[str], cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None
    ) -> None:
        # What it logs goes where this program's own errors go.
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, env=env
        )
        self._lock = threading.Lock()
        self._write_lock = threading.Lock()
        self._next_id = 0
        self._is_gone = False
        self._calls: Dict[int, "Future[Any]"] = {}
        self._subscriptions: Dict[str, "queue.Queue[Optional[Json]]"] = {}
        self._handlers: Dict[str, Callable[[Json], Any]] = {}
        # What it asks of us may take as long as a person does: in threads of their own, so that everything else goes on.
        self._asked = ThreadPoolExecutor(max_workers=16, thread_name_prefix="sidecar-ask")
        self._ready: "Future[Json]" = Future()
        threading.Thread(target=self._read, name="sidecar-read", daemon=True).start()

    def __enter__(self) -> "Sidecar":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self, timeout: Optional[float] = None) -> Json:
        """Waits for the first line, `server.ready`, and returns what it says."""
        return self._ready.result(timeout)

    def handle(self, method: str, handler: Callable[[Json], Any]) -> None:
        """Answers `approval.request`, `question.ask` or `tool.call`. What the handler raises leaves it to somebody else."""
        self._handlers[method] = handler

    def call(self, method: str, **params: Any) -> Any:
        """Calls a method and waits for its result; raises SidecarError where it is refused."""
        answer: "Future[Any]" = Future()
        with self._lock:
            if self._is_gone:
                raise SidecarError(0, "the sidecar has ended")
            self._next_id += 1
            call_id = self._next_id
            self._calls[call_id] = answer
        self._write(_line({"id": call_id, "method": method, "params": params}))
        return answer.result()

    def events(self, session_id: str, after: int = 0, handles: Sequence[str] = ()) -> Iterator[Json]:
        """Every event behind `after`, then live, until the caller stops reading or the sidecar ends.

        `handles` names what this program answers: "approvals", "questions", "tools". The subscription begins with the
        call of this function. The `seq` of the last event is the cursor to come back with.
        """
        events: "queue.Queue[Optional[Json]]" = queue.Queue()
        with self._lock:
            self._subscriptions[session_id] = events
        self.call("session.subscribe", sessionId=session_id, after=after, handles=list(handles))
        return self._take(events)

    @staticmethod
    def _take(events: "queue.Queue[Optional[Json]]") -> Iterator[Json]:
        while True:
            note = events.get()
            if note is None:
                return
            if "event" not in note:
                raise SubscriptionEnded(note["code"], note["message"])
            yield note["event"]

    def close(self, timeout: float = 60.0) -> int:
        """Ends the sidecar: running turns get its time of grace, sessions stay in the log. Returns the exit code."""
        with self._write_lock:
            try:
                if self._process.stdin is not None:
                    self._process.stdin.close()
            except OSError:
                pass  # it is gone already
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()
        finally:
            self._asked.shutdown(wait=False)

    def _write(self, line: bytes) -> None:
        with self._write_lock:
            stdin = self._process.stdin
            if stdin is None or stdin.closed:
                raise SidecarError(0, "the sidecar was closed")
            try:
                stdin.write(line)
                stdin.flush()
            except OSError as error:
                raise SidecarError(0, "the sidecar has ended") from error

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        for line in stdout:
            self._take_message(json.loads(line))
        with self._lock:
            self._is_gone = True
            calls: List["Future[Any]"] = list(self._calls.values())
            self._calls.clear()
            subscriptions = list(self._subscriptions.values())
        for answer in calls:
            answer.set_exception(SidecarError(0, "the sidecar has ended"))
        for events in subscriptions:
            events.put(None)
        if not self._ready.done():
            self._ready.set_exception(SidecarError(0, "the sidecar ended before it was ready: see what it logged"))

    def _take_message(self, message: Json) -> None:
        if "method" not in message:
            self._take_answer(message)
        elif "id" in message:
            self._asked.submit(self._answer, message)
        else:
            self._take_notification(message["method"], message.get("params", {}))

    def _take_answer(self, message: Json) -> None:
        with self._lock:
            answer = self._calls.pop(message.get("id"), None)
        if answer is None:
            return
        error = message.get("error")
        if error is None:
            answer.set_result(message.get("result"))
        else:
            answer.set_exception(SidecarError(error["code"], error["message"], error.get("data")))

    def _take_notification(self, method: str, params: Json) -> None:
        if method == "server.ready":
            self._ready.set_result(params)
        elif method in ("session.event", "session.ended"):
            with self._lock:
                events = self._subscriptions.get(params["sessionId"])
            if events is not None:
                events.put(params)
        # Others, such as $/cancelRequest, may come: a later answer of ours is dropped, so nothing has to be done.

    def _answer(self, message: Json) -> None:
        handler = self._handlers.get(message["method"])
        reply: Json = {"id": message["id"]}
        if handler is None:
            line = _line({**reply, "error": {"code": -32601, "message": f"{message['method']} is not handled here"}})
        else:
            try:
                line = _line({**reply, "result": handler(message.get("params", {}))})
            except Exception as error:  # also of an answer JSON cannot say: the sidecar has to hear that none comes
                words = str(error).encode("utf-8", "replace").decode("utf-8")
                line = _line({**reply, "error": {"code": -32603, "message": words}})
        try:
            self._write(line)
        except SidecarError:
            pass  # it ended meanwhile: the question stays open in the log


def _line(message: Json) -> bytes:
    """Raises TypeError or ValueError where it cannot be said in JSON."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
