// A client for `quarterdeck sidecar`: agent sessions in a child process, JSON-RPC 2.0 over its pipes.
// .NET 8 and System.Text.Json, nothing else. Copy this file into your project.
// Every method, notification and error: docs/reference/sidecar.md.
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Text;
using System.Text.Json.Nodes;
using System.Threading.Channels;

namespace Quarterdeck;

/// <summary>What the sidecar refused, or that it is gone.</summary>
public sealed class SidecarException : Exception
{
    public SidecarException(int code, string message, string? problemCode = null)
        : base(message)
    {
        Code = code;
        ProblemCode = problemCode;
    }

    /// <summary>The code of JSON-RPC; 0 where the sidecar has ended.</summary>
    public int Code { get; }

    /// <summary>Quarterdeck's own word, such as session.not-found.</summary>
    public string? ProblemCode { get; }
}

/// <summary>One child process. Safe to use from any thread.</summary>
public sealed class Sidecar : IAsyncDisposable
{
    private static readonly UTF8Encoding Utf8 = new(encoderShouldEmitUTF8Identifier: false);

    private readonly Process _process;
    private readonly SemaphoreSlim _writing = new(1, 1);
    private readonly ConcurrentDictionary<long, TaskCompletionSource<JsonNode?>> _calls = new();
    private readonly ConcurrentDictionary<string, Channel<JsonObject>> _subscriptions = new();
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

    /// <summary>Starts it. What it logs goes where this program's own errors go.</summary>
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

    /// <summary>What its first line, <c>server.ready</c>, says.</summary>
    public Task<JsonObject> ReadyAsync(TimeSpan timeout) => _ready.Task.WaitAsync(timeout);

    /// <summary>
    /// Answers <c>approval.request</c>, <c>question.ask</c> or <c>tool.call</c>. What the handler throws leaves the
    /// question to somebody else.
    /// </summary>
    public void Handle(string method, Func<JsonObject, Task<JsonObject>> handler) => _handlers[method] = handler;

    /// <summary>Calls a method and waits for its result. Throws <see cref="SidecarException"/> where it is refused.</summary>
    public async Task<JsonObject> CallAsync(string method, JsonObject? parameters = null)
    {
        var id = Interlocked.Increment(ref _lastId);
        var answer = new TaskCompletionSource<JsonNode?>(TaskCreationOptions.RunContinuationsAsynchronously);
        _calls[id] = answer;
        // Behind the entry: whoever ends the reading has either seen the entry, or is seen here.
        if (_isGone) Gone(answer);
        else await WriteAsync(RequestOf(id, method, parameters ?? new JsonObject()).ToJsonString());
        return await answer.Task as JsonObject ?? new JsonObject();
    }

    /// <summary>
    /// Every event behind <paramref name="after"/>, then live, until the sidecar ends. <paramref name="handles"/> names
    /// what this program answers: approvals, questions, tools. The <c>seq</c> of the last event is the cursor to come
    /// back with.
    /// </summary>
    public async Task<ChannelReader<JsonObject>> SubscribeAsync(string sessionId, long after, params string[] handles)
    {
        var events = Channel.CreateUnbounded<JsonObject>(new UnboundedChannelOptions { SingleWriter = true });
        _subscriptions[sessionId] = events;
        var names = new JsonArray();
        foreach (var name in handles) names.Add(JsonValue.Create(name));
        var wish = new JsonObject { ["sessionId"] = sessionId, ["after"] = after, ["handles"] = names };
        await CallAsync("session.subscribe", wish);
        return events.Reader;
    }

    /// <summary>
    /// Ends the sidecar: running turns get its time of grace, sessions stay in the log. Returns the exit code.
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
            // It is gone already.
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

    private async Task ReadAsync()
    {
        try
        {
            while (await _process.StandardOutput.ReadLineAsync() is { } line)
            {
                if (JsonNode.Parse(line) is JsonObject message) Take(message);
            }
        }
        finally
        {
            _isGone = true;
            foreach (var id in _calls.Keys)
            {
                if (_calls.TryRemove(id, out var answer)) Gone(answer);
            }
            foreach (var events in _subscriptions.Values) events.Writer.TryComplete();
            _ready.TrySetException(new SidecarException(0, "the sidecar ended before it was ready: see what it logged"));
        }
    }

    private static void Gone(TaskCompletionSource<JsonNode?> answer) =>
        answer.TrySetException(new SidecarException(0, "the sidecar has ended"));

    private void Take(JsonObject message)
    {
        var method = (string?)message["method"];
        if (method is null) TakeAnswer(message);
        // What it asks of us may take as long as a person does: beside the reading, so that everything else goes on.
        else if (message["id"] is JsonNode id) _ = Task.Run(() => AnswerAsync(id, method, ParametersOf(message)));
        else TakeNotification(method, ParametersOf(message));
    }

    private static JsonObject ParametersOf(JsonObject message) => message["params"] as JsonObject ?? new JsonObject();

    private void TakeAnswer(JsonObject message)
    {
        if (message["id"] is not JsonValue value || !value.TryGetValue<long>(out var id)) return;
        if (!_calls.TryRemove(id, out var answer)) return;
        if (message["error"] is JsonObject error)
        {
            var problem = (error["data"] as JsonObject)?["code"];
            answer.TrySetException(
                new SidecarException((int?)error["code"] ?? 0, (string?)error["message"] ?? "", problem?.ToString()));
        }
        else
        {
            answer.TrySetResult(message["result"]);
        }
    }

    private void TakeNotification(string method, JsonObject parameters)
    {
        // Others, such as $/cancelRequest, may come: a later answer of ours is dropped, so nothing has to be done.
        if (method == "server.ready") _ready.TrySetResult(parameters);
        if (method is not ("session.event" or "session.ended")) return;
        var sessionId = (string?)parameters["sessionId"] ?? "";
        if (!_subscriptions.TryGetValue(sessionId, out var events)) return;
        if (parameters["event"] is JsonObject happened) events.Writer.TryWrite(happened);
        else events.Writer.TryComplete(EndOf(parameters));
    }

    private static SidecarException EndOf(JsonObject parameters) =>
        new(0, (string?)parameters["message"] ?? "", (string?)parameters["code"]);

    private async Task AnswerAsync(JsonNode id, string method, JsonObject parameters)
    {
        string line;
        if (_handlers.TryGetValue(method, out var handler))
        {
            try
            {
                line = ReplyOf(id, "result", await handler(parameters)).ToJsonString();
            }
            catch (Exception error)
            {
                // Also of an answer JSON cannot say, such as NaN: the sidecar has to hear that none comes.
                line = ReplyOf(id, "error", ErrorOf(-32603, error.Message)).ToJsonString();
            }
        }
        else
        {
            line = ReplyOf(id, "error", ErrorOf(-32601, $"{method} is not handled here")).ToJsonString();
        }
        try
        {
            await WriteAsync(line);
        }
        catch (SidecarException)
        {
            // It ended meanwhile: the question stays open in the log.
        }
    }
}
