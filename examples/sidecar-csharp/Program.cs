// A whole session through `quarterdeck sidecar`, from C#: start, stream, approve, a tool of this program, interrupt, end
// the sidecar and start it again, go on with the same session, close.
//
//     dotnet run
//
// Prints each step and exits with 0, or with 1 and the check that failed.
using System.Runtime.CompilerServices;
using System.Text.Json.Nodes;
using Quarterdeck;

var data = Directory.CreateTempSubdirectory("sidecar-csharp-");
try
{
    await using var host = new Host(data.FullName);
    await host.RunAsync();
    return 0;
}
catch (Exception error)
{
    Console.Error.WriteLine($"[host] {error.Message}");
    return 1;
}
finally
{
    data.Delete(recursive: true);
}

/// <summary>One session, and the events received from it.</summary>
internal sealed class Host : IAsyncDisposable
{
    private const string Agent = "sidecar-csharp";
    private const string LongCommand = "tail -f /dev/null";

    private readonly string _data;
    private readonly List<string> _asked = new();
    private readonly List<string> _toolCalls = new();
    private Sidecar? _sidecar;
    private Sidecar.Subscription? _events;
    private string _sessionId = "";
    private long _cursor;

    public Host(string data) => _data = data;

    private Sidecar Running => _sidecar ?? throw new InvalidOperationException("no sidecar runs");

    public async Task RunAsync()
    {
        await StartSidecarAsync();
        var started = await Running.CallAsync("session.start", new JsonObject
        {
            ["agent"] = Agent,
            ["client"] = Client(),
        });
        _sessionId = (string?)started["sessionId"] ?? "";
        Say($"session {_sessionId}");
        await SubscribeAsync();

        var met = await TurnAsync("My name is Ada");
        Check("a message is answered, and its text streams", met.Outcome == "completed" && met.Streamed > 0);

        var ran = await TurnAsync("run `echo approved`");
        Check(
            "a command runs once this program has allowed it",
            _asked.SequenceEqual(new[] { "echo approved" }) && ran.Text.Contains("approved"));

        var told = await TurnAsync("use stock {\"article\": \"pears\"}");
        Check(
            "the model calls a tool of this program",
            _toolCalls.SequenceEqual(new[] { "pears" }) && told.Text.Contains("7 pieces"));

        var stopped = await TurnAsync($"run `{LongCommand}`", InterruptWhenItRuns);
        Check("a running turn can be interrupted", stopped.Outcome == "interrupted");

        Check("the sidecar ends with its input", await Running.CloseAsync(TimeSpan.FromMinutes(1)) == 0);
        await StartSidecarAsync();
        // A new connection has to declare the tools of this program again.
        var attached = Client();
        attached["sessionId"] = _sessionId;
        await Running.CallAsync("session.attach", attached);
        await SubscribeAsync();
        var again = await TurnAsync("What is my name?");
        Check("a new sidecar goes on with the session where it was", again.Text.Contains("Ada"));
        await TurnAsync("use stock {\"article\": \"plums\"}");
        Check("and calls the tools of this program", _toolCalls[^1] == "plums");

        Check("what is refused has a code of its own", await RefusalAsync("session.interrupt") == "session.not-running");

        await Running.CallAsync("session.close", new JsonObject { ["sessionId"] = _sessionId });
        var state = await Running.CallAsync("session.get", new JsonObject { ["sessionId"] = _sessionId });
        Check("the session is closed", (string?)state["session"]?["status"] == "completed");
        Check("and this sidecar ends too", await Running.CloseAsync(TimeSpan.FromMinutes(1)) == 0);
    }

    public async ValueTask DisposeAsync()
    {
        if (_sidecar is not null) await _sidecar.DisposeAsync();
    }

    private async Task StartSidecarAsync()
    {
        if (_sidecar is not null) await _sidecar.DisposeAsync();
        // How to call Quarterdeck: in a checkout npx finds it, elsewhere set QUARTERDECK=quarterdeck.
        var npx = OperatingSystem.IsWindows() ? "npx.cmd" : "npx";
        var words = Environment.GetEnvironmentVariable("QUARTERDECK") ?? $"{npx} --no -- quarterdeck";
        // The model source: the local simulator needs no key. Set QUARTERDECK_MODEL_SOURCE=provider for a real model.
        var source = Environment.GetEnvironmentVariable("QUARTERDECK_MODEL_SOURCE") ?? "simulator";
        var command = words.Split(' ', StringSplitOptions.RemoveEmptyEntries).ToList();
        command.AddRange(new[] { "sidecar", Path.Combine(Here(), "helper.yaml"), "--data", _data, "--model-source", source });

        _sidecar = Sidecar.Start(command, Here());
        _sidecar.Handle("approval.request", ApproveAsync);
        _sidecar.Handle("tool.call", RunToolAsync);
        var ready = await _sidecar.ReadyAsync(TimeSpan.FromMinutes(2));
        Say($"sidecar {ready["version"]} is ready, protocol {ready["protocol"]}, process {ready["pid"]}");
    }

    /// <summary>A real host shows this to a person. This one allows the expected call and denies every other.</summary>
    private Task<JsonObject> ApproveAsync(JsonObject approval)
    {
        var command = (string?)approval["toolInput"]?["command"] ?? "";
        _asked.Add(command);
        var decision = command is "echo approved" or LongCommand ? "allow" : "deny";
        Say($"approval: {approval["toolName"]} '{command}' -> {decision}");
        return Task.FromResult(new JsonObject { ["decision"] = decision });
    }

    private Task<JsonObject> RunToolAsync(JsonObject call)
    {
        var article = (string?)call["toolInput"]?["article"] ?? "";
        _toolCalls.Add(article);
        Say($"tool: {call["toolName"]} {article}");
        return Task.FromResult(new JsonObject { ["output"] = $"{article}: 7 pieces" });
    }

    private async Task SubscribeAsync() =>
        _events = await Running.SubscribeAsync(_sessionId, _cursor, "approvals", "tools");

    /// <summary>Sends a message, prints the answer as it streams, and returns the outcome of the turn.</summary>
    private async Task<Turn> TurnAsync(string message, Action<JsonObject>? onEvent = null)
    {
        Say($"> {message}");
        await Running.CallAsync("session.message", new JsonObject { ["sessionId"] = _sessionId, ["content"] = message });
        var events = _events ?? throw new InvalidOperationException("not subscribed");
        Turn? ended = null;
        var streamed = 0;
        await foreach (var happened in events.ReadAllAsync())
        {
            if (happened["seq"] is JsonNode seq) _cursor = (long)seq;
            var type = (string?)happened["type"];
            var detail = happened["data"] as JsonObject;
            if (type == "AgentStreamToken" && (string?)detail?["kind"] == "text")
            {
                streamed += 1;
                Console.Write((string?)detail?["text"]);
            }
            else if (type == "AgentThought")
            {
                Console.WriteLine();
            }
            else if (type == "TurnEnded")
            {
                var text = (string?)detail?["result"]?["response"] ?? "";
                ended = new Turn((string?)detail?["outcome"] ?? "", text, streamed);
            }
            else if (type == "AgentSessionStatusChanged" && ended is not null)
            {
                return ended;
            }
            onEvent?.Invoke(happened);
        }
        throw new SidecarException(0, "the events ended in the middle of a turn");
    }

    /// <summary>Interrupts while the approved command runs, in the middle of a turn.</summary>
    private void InterruptWhenItRuns(JsonObject happened)
    {
        if ((string?)happened["type"] != "ApprovalDecided") return;
        _ = Task.Run(async () =>
        {
            await Task.Delay(TimeSpan.FromMilliseconds(200));
            await Running.CallAsync("session.interrupt", new JsonObject { ["sessionId"] = _sessionId });
        });
    }

    private async Task<string?> RefusalAsync(string method)
    {
        try
        {
            await Running.CallAsync(method, new JsonObject { ["sessionId"] = _sessionId });
            return null;
        }
        catch (SidecarException error)
        {
            return error.ProblemCode;
        }
    }

    private static JsonObject Client() => new()
    {
        ["clientId"] = "Program.cs",
        ["tools"] = new JsonArray { Stock() },
    };

    private static JsonObject Stock() => new()
    {
        ["name"] = "stock",
        ["description"] = "How many pieces of an article are in stock, as this program knows it.",
        ["inputSchema"] = new JsonObject
        {
            ["type"] = "object",
            ["properties"] = new JsonObject { ["article"] = new JsonObject { ["type"] = "string" } },
            ["required"] = new JsonArray { "article" },
        },
    };

    private static string Here([CallerFilePath] string file = "") => Path.GetDirectoryName(file) ?? ".";

    private static void Say(string words) => Console.WriteLine($"[host] {words}");

    private static void Check(string what, bool holds)
    {
        if (!holds) throw new SidecarException(0, $"not so: {what}");
        Say($"ok: {what}");
    }

    private sealed record Turn(string Outcome, string Text, int Streamed);
}
