// A client for `quarterdeck sidecar`: agent sessions in a child process, JSON-RPC 2.0 over its pipes.
// .NET 8 and System.Text.Json, nothing else. Copy this file into your project.
// Every method, notification and error: docs/reference/sidecar.md.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Threading.Channels;

namespace Quarterdeck;

/// <summary>The sidecar refused a call, or has ended.</summary>
public sealed class SidecarException : Exception
{
    public SidecarException(int code, string message, string? problemCode = null)
        : base(message)
    {
        Code = code;
        ProblemCode = problemCode;
    }

    /// <summary>The code of JSON-RPC; 0 if the sidecar has ended.</summary>
    public int Code { get; }

    /// <summary>Quarterdeck's error code, such as session.not-found.</summary>
    public string? ProblemCode { get; }
}

/// <summary>One child process. Safe to use from any thread.</summary>
public sealed class Sidecar : IAsyncDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private readonly Process _process;
    private readonly SemaphoreSlim _writing = new(1, 1);
    // Subscribing and unsubscribing of one session are serialized: a late unsubscribe must not end a new subscription.
    private readonly SemaphoreSlim _subscribing = new(1, 1);
    private readonly ConcurrentDictionary<long, PendingCall> _calls = new();
    private readonly ConcurrentDictionary<string, Inbox> _subscriptions = new();
    // Asks that are being answered, with the latest request for each: a new subscription repeats the request.
    private readonly Dictionary<string, JsonNode> _asked = new();
    private readonly ConcurrentDictionary<string, Func<JsonObject, Task<JsonObject>>> _handlers = new();
    private readonly TaskCompletionSource<JsonObject> _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly Task _reading;
    private long _lastId;
    private volatile bool _isGone;

    private Sidecar(Process process)
    {
        _process = process;
        _reading = Task.Run(ReadAsync);
    }

    /// <summary>Starts the sidecar. Its log goes to this program's stderr.</summary>
    public static Sidecar Start(IReadOnlyList<string> command, string workingDirectory)
    {
        var start = new ProcessStartInfo(command[0])
        {
            UseShellExecute = false,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            StandardInputEncoding = Utf8,
            StandardOutputEncoding = Utf8,
            WorkingDirectory = workingDirectory,
        };
        foreach (var argument in command.Skip(1)) start.ArgumentList.Add(argument);
        var process = Process.Start(start) ?? throw new SidecarException(0, $"{command[0]} could not be started");
        return new Sidecar(process);
    }

    /// <summary>The params of its first line, <c>server.ready</c>.</summary>
    public Task<JsonObject> ReadyAsync(TimeSpan timeout) => _ready.Task.WaitAsync(timeout);

    /// <summary>
    /// Answers <c>approval.request</c>, <c>question.ask</c> or <c>tool.call</c>. If the handler throws, the
    /// ask stays open for others.
    /// </summary>
    public void Handle(string method, Func<JsonObject, Task<JsonObject>> handler) => _handlers[method] = handler;

    /// <summary>Calls a method and waits for its result. Throws <see cref="SidecarException"/> if it is refused.</summary>
    public Task<JsonObject> CallAsync(string method, JsonObject? parameters = null) =>
        CallAsync(method, parameters ?? new JsonObject(), onAnswer: null);

    /// <summary>
    /// Every event behind <paramref name="after"/>, then live, until the sidecar ends or another subscription of the
    /// session begins. <paramref name="handles"/> names the asks that this program answers: approvals, questions, tools. The
    /// <c>seq</c> of the last event is the cursor to resume with.
    /// </summary>
    public async Task<Subscription> SubscribeAsync(string sessionId, long after, params string[] handles) =>
        new(this, sessionId, handles, after, await OpenInboxAsync(sessionId, after, handles));

    /// <summary>
    /// Ends the sidecar: running turns get its grace period, sessions stay in the log. Returns the exit code.
    /// </summary>
    public async Task<int> CloseAsync(TimeSpan timeout)
    {
        await _writing.WaitAsync();
        try
        {
            _process.StandardInput.Close();
        }
        catch (IOException)
        {
            // It has already ended.
        }
        finally
        {
            _writing.Release();
        }
        using var late = new CancellationTokenSource(timeout);
        try
        {
            await _process.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            _process.Kill(entireProcessTree: true);
            await _process.WaitForExitAsync();
        }
        await _reading;
        return _process.ExitCode;
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited) await CloseAsync(TimeSpan.FromMinutes(1));
        _process.Dispose();
    }

    private static JsonObject RequestOf(long id, string method, JsonObject parameters) =>
        new() { ["jsonrpc"] = "2.0", ["id"] = id, ["method"] = method, ["params"] = parameters };

    private static JsonObject ReplyOf(JsonNode id, string kind, JsonObject answer) =>
        new() { ["jsonrpc"] = "2.0", ["id"] = id.DeepClone(), [kind] = answer };

    private static JsonObject ErrorOf(int code, string message) => new() { ["code"] = code, ["message"] = message };

    private async Task WriteAsync(string line)
    {
        await _writing.WaitAsync();
        try
        {
            await _process.StandardInput.WriteAsync(line + "\n");
            await _process.StandardInput.FlushAsync();
        }
        catch (Exception error) when (error is IOException or ObjectDisposedException or InvalidOperationException)
        {
            throw new SidecarException(0, "the sidecar has ended");
        }
        finally
        {
            _writing.Release();
        }
    }

    /// <summary><paramref name="onAnswer"/> runs before the lines behind the answer are read.</summary>
    private async Task<JsonObject> CallAsync(string method, JsonObject parameters, Action? onAnswer)
    {
        var id = Interlocked.Increment(ref _lastId);
        var call = new PendingCall(onAnswer);
        _calls[id] = call;
        try
        {
            // After adding the entry: the end of reading has either seen the entry, or is seen here.
            if (_isGone) call.End();
            else await WriteAsync(RequestOf(id, method, parameters).ToJsonString());
            return await call.Answer.Task as JsonObject ?? new JsonObject();
        }
        finally
        {
            _calls.TryRemove(id, out _);
        }
    }

    private async Task<Inbox> OpenInboxAsync(string sessionId, long after, IEnumerable<string> handles)
    {
        var inbox = new Inbox();
        var names = new JsonArray();
        foreach (var name in handles) names.Add(JsonValue.Create(name));
        var wish = new JsonObject { ["sessionId"] = sessionId, ["after"] = after, ["handles"] = names };
        await _subscribing.WaitAsync();
        try
        {
            await CallAsync("session.subscribe", wish, () =>
            {
                if (_subscriptions.TryGetValue(sessionId, out var replaced)) replaced.End();
                _subscriptions[sessionId] = inbox;
            });
        }
        finally
        {
            _subscribing.Release();
        }
        return inbox;
    }

    private async Task LeaveAsync(string sessionId, Inbox inbox)
    {
        await _subscribing.WaitAsync();
        try
        {
            if (!_subscriptions.TryRemove(KeyValuePair.Create(sessionId, inbox))) return;
            await CallAsync("session.unsubscribe", new JsonObject { ["sessionId"] = sessionId });
        }
        catch (SidecarException)
        {
            // The sidecar has ended, and the subscription with it.
        }
        finally
        {
            _subscribing.Release();
        }
    }

    /// <summary>Never fails: when reading ends for any reason, the sidecar counts as ended.</summary>
    private async Task ReadAsync()
    {
        try
        {
            while (await _process.StandardOutput.ReadLineAsync() is { } line) TakeLine(line);
        }
        catch (Exception error) when (error is IOException or InvalidOperationException)
        {
            // It was closed meanwhile.
        }
        finally
        {
            _isGone = true;
            foreach (var call in _calls.Values) call.End();
            foreach (var inbox in _subscriptions.Values) inbox.End();
            _ready.TrySetException(new SidecarException(0, "the sidecar ended before it was ready: see what it logged"));
        }
    }

    private void TakeLine(string line)
    {
        try
        {
            if (JsonNode.Parse(line) is JsonObject message) Take(message);
        }
        catch (Exception error) when (error is JsonException or InvalidOperationException or FormatException)
        {
            // Not a message: skipped.
        }
    }

    private void Take(JsonObject message)
    {
        var method = (string?)message["method"];
        if (method is null) TakeAnswer(message);
        else if (message["id"] is JsonNode id) TakeRequest(id, method, ParametersOf(message));
        else TakeNotification(method, ParametersOf(message));
    }

    /// <summary>Runs beside the reader, because a person may take long to answer.</summary>
    private void TakeRequest(JsonNode id, string method, JsonObject parameters)
    {
        var subject = (parameters["approvalId"] ?? parameters["questionId"] ?? parameters["callId"] ?? id).ToJsonString();
        lock (_asked)
        {
            var isKnown = _asked.ContainsKey(subject);
            _asked[subject] = id;
            if (isKnown) return;
        }
        _ = Task.Run(() => AnswerAsync(subject, method, parameters));
    }

    private static JsonObject ParametersOf(JsonObject message) => message["params"] as JsonObject ?? new JsonObject();

    private void TakeAnswer(JsonObject message)
    {
        if (message["id"] is not JsonValue value || !value.TryGetValue<long>(out var id)) return;
        if (!_calls.TryRemove(id, out var call)) return;
        if (message["error"] is JsonObject error)
        {
            var problem = (error["data"] as JsonObject)?["code"];
            call.Answer.TrySetException(
                new SidecarException((int?)error["code"] ?? 0, (string?)error["message"] ?? "", problem?.ToString()));
        }
        else
        {
            call.OnAnswer?.Invoke();
            call.Answer.TrySetResult(message["result"]);
        }
    }

    private void TakeNotification(string method, JsonObject parameters)
    {
        // Others, such as $/cancelRequest, need no action: a late answer is dropped by the sidecar.
        if (method == "server.ready") _ready.TrySetResult(parameters);
        if (method is not ("session.event" or "session.ended")) return;
        var sessionId = (string?)parameters["sessionId"] ?? "";
        if (!_subscriptions.TryGetValue(sessionId, out var inbox)) return;
        if (parameters["event"] is JsonObject happened) inbox.Put(happened);
        else inbox.End(EndOf(parameters));
    }

    private static SidecarException EndOf(JsonObject parameters) =>
        new(0, (string?)parameters["message"] ?? "", (string?)parameters["code"]);

    private async Task AnswerAsync(string subject, string method, JsonObject parameters)
    {
        var (kind, answer) = await ReplyAsync(method, parameters);
        JsonNode id;
        lock (_asked)
        {
            id = _asked[subject];
            _asked.Remove(subject);
        }
        try
        {
            await WriteAsync(ReplyOf(id, kind, answer).ToJsonString());
        }
        catch (SidecarException)
        {
            // The sidecar ended meanwhile: the ask stays open in the log.
        }
    }

    private async Task<(string Kind, JsonObject Answer)> ReplyAsync(string method, JsonObject parameters)
    {
        if (!_handlers.TryGetValue(method, out var handler))
        {
            return ("error", ErrorOf(-32601, $"{method} is not handled here"));
        }
        try
        {
            var result = await handler(parameters);
            _ = result.ToJsonString();
            // A copy, because a JsonNode can have only one parent and the handler may have reused one.
            return ("result", result.DeepClone().AsObject());
        }
        catch (Exception error)
        {
            // Also if the answer has no JSON form, such as NaN: the sidecar must get an error instead.
            return ("error", ErrorOf(-32603, error.Message));
        }
    }

    /// <summary>The events of a session. Read them in one loop, or in several loops one after the other.</summary>
    public sealed class Subscription : IAsyncDisposable
    {
        private readonly Sidecar _sidecar;
        private readonly string _sessionId;
        private readonly string[] _handles;
        private long _after;
        private Inbox _inbox;

        internal Subscription(Sidecar sidecar, string sessionId, string[] handles, long after, Inbox inbox)
        {
            _sidecar = sidecar;
            _sessionId = sessionId;
            _handles = handles;
            _after = after;
            _inbox = inbox;
        }

        public async IAsyncEnumerable<JsonObject> ReadAllAsync([EnumeratorCancellation] CancellationToken cancel = default)
        {
            while (true)
            {
                var inbox = _inbox;
                await foreach (var happened in inbox.Reader.ReadAllAsync(cancel))
                {
                    if (happened["seq"] is JsonNode seq) _after = (long)seq;
                    yield return happened;
                }
                if (!inbox.IsFull) yield break;
                // The reader was too slow: the other events are in the log.
                _inbox = await _sidecar.OpenInboxAsync(_sessionId, _after, _handles);
            }
        }

        /// <summary>Ends the events and withdraws unanswered asks.</summary>
        public async ValueTask DisposeAsync() => await _sidecar.LeaveAsync(_sessionId, _inbox);
    }

    /// <summary>
    /// Buffers events for one consumer. When it is full, the consumer subscribes again for the others. Only the
    /// reader of the sidecar fills and ends it.
    /// </summary>
    internal sealed class Inbox
    {
        private const int MaxEvents = 1000;

        private readonly Channel<JsonObject> _events = Channel.CreateBounded<JsonObject>(MaxEvents);
        private bool _isOver;
        private volatile bool _isFull;

        public ChannelReader<JsonObject> Reader => _events.Reader;

        public bool IsFull => _isFull;

        public void Put(JsonObject happened)
        {
            if (_isOver || _events.Writer.TryWrite(happened)) return;
            _isFull = true;
            End();
        }

        public void End(Exception? error = null)
        {
            _isOver = true;
            _events.Writer.TryComplete(error);
        }
    }

    private sealed class PendingCall
    {
        public PendingCall(Action? onAnswer) => OnAnswer = onAnswer;

        public TaskCompletionSource<JsonNode?> Answer { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Action? OnAnswer { get; }

        public void End() => Answer.TrySetException(new SidecarException(0, "the sidecar has ended"));
    }
}
