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
from concurrent.futures import Future
from typing import Any, Callable, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

Json = Dict[str, Any]

# Buffered events of one subscription.
MAX_WAITING_EVENTS = 1000


class SidecarError(Exception):
    """The sidecar refused a call, or has ended. `problem_code` is Quarterdeck's error code, such as session.not-found."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
        self.problem_code = data.get("code") if isinstance(data, dict) else None


class SubscriptionEnded(Exception):
    """This subscription has ended: subscribe again behind the last event that was received."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class _Inbox:
    """Buffers the events of one subscription. When it is full, the reader subscribes again for the others."""

    def __init__(self) -> None:
        self._notes: "queue.SimpleQueue[Optional[Json]]" = queue.SimpleQueue()
        self.is_full = False

    def put(self, note: Json) -> None:
        if self.is_full:
            return
        self._notes.put(note)
        if self._notes.qsize() >= MAX_WAITING_EVENTS:
            self.is_full = True
            self.end()

    def end(self) -> None:
        self._notes.put(None)

    def take(self) -> Optional[Json]:
        """Waits for the next event; None at the end."""
        return self._notes.get()


class _Call(NamedTuple):
    answer: "Future[Any]"
    # Runs before the lines behind the answer are read.
    on_answer: Optional[Callable[[], None]]


class Sidecar:
    """One child process. Safe to use from any thread."""

    def __init__(
        self, command: Sequence[str], cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None
    ) -> None:
        # Its log goes to this program's stderr.
        self._process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, env=env
        )
        self._lock = threading.Lock()
        self._write_lock = threading.Lock()
        # Subscribing and unsubscribing of one session are serialized: a late unsubscribe must not end a new subscription.
        self._subscribing = threading.Lock()
        self._next_id = 0
        self._is_gone = False
        self._calls: Dict[int, _Call] = {}
        self._subscriptions: Dict[str, _Inbox] = {}
        self._handlers: Dict[str, Callable[[Json], Any]] = {}
        # Asks that are being answered, with the latest request for each: a new subscription repeats the request.
        self._asked: Dict[Any, Any] = {}
        self._ready: "Future[Json]" = Future()
        self._left: "queue.SimpleQueue[Optional[Tuple[str, _Inbox]]]" = queue.SimpleQueue()
        threading.Thread(target=self._read, name="sidecar-read", daemon=True).start()
        threading.Thread(target=self._unsubscribe, name="sidecar-leave", daemon=True).start()

    def __enter__(self) -> "Sidecar":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ready(self, timeout: Optional[float] = None) -> Json:
        """Waits for the first line, `server.ready`, and returns its params."""
        return self._ready.result(timeout)

    def handle(self, method: str, handler: Callable[[Json], Any]) -> None:
        """Answers `approval.request`, `question.ask` or `tool.call`. If the handler raises, the ask stays open for others."""
        self._handlers[method] = handler

    def call(self, method: str, **params: Any) -> Any:
        """Calls a method and waits for its result; raises SidecarError if it is refused."""
        return self._call(method, params)

    def events(self, session_id: str, after: int = 0, handles: Sequence[str] = ()) -> Iterator[Json]:
        """Every event behind `after`, then live, until the caller stops reading or the sidecar ends.

        `handles` names what this program answers: "approvals", "questions", "tools". The subscription begins with the
        call of this function and ends when the iterator is closed or forgotten, or another one of the session begins.
        The `seq` of the last event is the cursor to resume with.
        """
        return self._events(session_id, after, handles, self._subscribe(session_id, after, handles))

    def _events(self, session_id: str, after: int, handles: Sequence[str], inbox: _Inbox) -> Iterator[Json]:
        try:
            while True:
                note = inbox.take()
                if note is None and not inbox.is_full:
                    return
                if note is None:
                    # The reader was too slow: the other events are in the log.
                    inbox = self._subscribe(session_id, after, handles)
                    continue
                if "event" not in note:
                    raise SubscriptionEnded(note["code"], note["message"])
                after = note["event"].get("seq", after)
                yield note["event"]
        finally:
            # The garbage collector may run this at any point, so nothing here may block.
            self._left.put((session_id, inbox))

    def _subscribe(self, session_id: str, after: int, handles: Sequence[str]) -> _Inbox:
        inbox = _Inbox()

        def begin() -> None:
            with self._lock:
                replaced = self._subscriptions.get(session_id)
                self._subscriptions[session_id] = inbox
            if replaced is not None:
                replaced.end()

        with self._subscribing:
            self._call("session.subscribe", {"sessionId": session_id, "after": after, "handles": list(handles)}, begin)
        return inbox

    def _unsubscribe(self) -> None:
        while True:
            left = self._left.get()
            if left is None:
                return
            session_id, inbox = left
            try:
                self._leave(session_id, inbox)
            except SidecarError:
                pass  # the sidecar has ended, and the subscription with it

    def _leave(self, session_id: str, inbox: _Inbox) -> None:
        with self._subscribing:
            with self._lock:
                if self._subscriptions.get(session_id) is not inbox:
                    return
                del self._subscriptions[session_id]
            self._call("session.unsubscribe", {"sessionId": session_id})

    def _call(self, method: str, params: Json, on_answer: Optional[Callable[[], None]] = None) -> Any:
        answer: "Future[Any]" = Future()
        with self._lock:
            if self._is_gone:
                raise SidecarError(0, "the sidecar has ended")
            self._next_id += 1
            call_id = self._next_id
            self._calls[call_id] = _Call(answer, on_answer)
        try:
            self._write(_line({"id": call_id, "method": method, "params": params}))
        except BaseException:
            with self._lock:
                self._calls.pop(call_id, None)
            raise
        return answer.result()

    def close(self, timeout: float = 60.0) -> int:
        """Ends the sidecar: running turns get its grace period, sessions stay in the log. Returns the exit code."""
        with self._write_lock:
            try:
                if self._process.stdin is not None:
                    self._process.stdin.close()
            except OSError:
                pass  # it has already ended
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

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
        try:
            with stdout:
                for line in stdout:
                    self._take_line(line)
        finally:
            self._end()

    def _take_line(self, line: bytes) -> None:
        try:
            self._take_message(json.loads(line))
        except (ValueError, LookupError, TypeError, AttributeError):
            pass  # not a message: skipped

    def _end(self) -> None:
        with self._lock:
            self._is_gone = True
            calls = list(self._calls.values())
            self._calls.clear()
            subscriptions = list(self._subscriptions.values())
        for call in calls:
            call.answer.set_exception(SidecarError(0, "the sidecar has ended"))
        for inbox in subscriptions:
            inbox.end()
        self._left.put(None)
        if not self._ready.done():
            self._ready.set_exception(SidecarError(0, "the sidecar ended before it was ready: see what it logged"))

    def _take_message(self, message: Json) -> None:
        if "method" not in message:
            self._take_answer(message)
        elif "id" in message:
            self._take_request(message["id"], message["method"], message.get("params", {}))
        else:
            self._take_notification(message["method"], message.get("params", {}))

    def _take_answer(self, message: Json) -> None:
        with self._lock:
            call = self._calls.pop(message.get("id"), None)
        if call is None:
            return
        error = message.get("error")
        if error is not None:
            call.answer.set_exception(SidecarError(error.get("code", 0), error.get("message", ""), error.get("data")))
            return
        if call.on_answer is not None:
            call.on_answer()
        call.answer.set_result(message.get("result"))

    def _take_notification(self, method: str, params: Json) -> None:
        if method == "server.ready" and not self._ready.done():
            self._ready.set_result(params)
        elif method in ("session.event", "session.ended"):
            with self._lock:
                inbox = self._subscriptions.get(params["sessionId"])
            if inbox is not None:
                inbox.put(params)
        # Others, such as $/cancelRequest, need no action: a late answer is dropped by the sidecar.

    def _take_request(self, request_id: Any, method: str, params: Json) -> None:
        """Runs each handler in its own thread, because a person may take long to answer."""
        subject = params.get("approvalId") or params.get("questionId") or params.get("callId") or request_id
        with self._lock:
            is_known = subject in self._asked
            self._asked[subject] = request_id
        if not is_known:
            args = (subject, method, params)
            threading.Thread(target=self._answer, args=args, name="sidecar-ask", daemon=True).start()

    def _answer(self, subject: Any, method: str, params: Json) -> None:
        reply = self._reply(method, params)
        with self._lock:
            request_id = self._asked.pop(subject)
        try:
            self._write(_line({"id": request_id, **reply}))
        except SidecarError:
            pass  # the sidecar ended meanwhile: the ask stays open in the log

    def _reply(self, method: str, params: Json) -> Json:
        handler = self._handlers.get(method)
        if handler is None:
            return {"error": {"code": -32601, "message": f"{method} is not handled here"}}
        try:
            reply: Json = {"result": handler(params)}
            _line(reply)
            return reply
        except Exception as error:  # also if the answer is not valid JSON: the sidecar must get an error instead
            words = str(error).encode("utf-8", "replace").decode("utf-8")
            return {"error": {"code": -32603, "message": words}}


def _line(message: Json) -> bytes:
    """Raises TypeError or ValueError if the value has no JSON form."""
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8") + b"\n"
