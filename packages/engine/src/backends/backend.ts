// The port every agent runtime stands behind. The suite in backend.contract.ts is what it promises in runnable form.
import type {
  AgentPath,
  AgentStreamToken,
  Capabilities,
  ClientTool,
  EventDraft,
  EventType,
  ExecutionResult,
  InputImage,
  JsonObject,
  Limits,
  ModelProvider,
  ModelSource,
  PermissionMode,
  QuestionItem,
  SessionId,
  Thinking,
  TokenCounts,
  UserMessageId,
} from '@quarterdeck/protocol'
import type { SessionTools } from '../permissions/tools/session-tools.ts'

/** What a running turn may tell: drafts for the log, tokens to stream, and one `TurnEnded` as the very last. */
export type BackendEvent = EventDraft<BackendEventType> | AgentStreamToken

export type BackendEventType = Extract<
  EventType,
  | 'AgentSessionStarted'
  | 'AgentThought'
  | 'AgentThinking'
  | 'AgentInvokedTool'
  | 'ToolExecuted'
  | 'SubagentThought'
  | 'SubagentStarted'
  | 'SubagentStopped'
  | 'AgentStreamDiscarded'
  | 'UsageRecorded'
  | 'ModelRequestRetrying'
  | 'ModelFellBack'
  | 'AgentContextCompacted'
  | 'ContextNearingLimit'
  | 'FilesCheckpointed'
  | 'McpServerStatusChanged'
  | 'BackendCrashed'
  | 'RawBackendMessage'
  | 'SecurityNoticed'
  | 'TurnEnded'
>

export interface ToolCall {
  readonly toolName: string
  readonly toolInput: JsonObject
  readonly toolUseId: string
  readonly agent: AgentPath
}

export type ToolVerdict =
  | { readonly type: 'allow'; readonly input: JsonObject }
  | { readonly type: 'deny'; readonly message: string }

/**
 * The engine's say over every tool call. A backend asks `check` before each call and, when told to ask, waits in `ask`.
 * Neither rejects: a failure inside is a denial with a sentence.
 */
export interface ToolGate {
  /** Decides without waiting for anybody. `ask` means: call `ask` and wait for what it says. */
  check(call: ToolCall): Promise<ToolVerdict | { readonly type: 'ask' }>
  /**
   * Resolves when a person has decided, or with a denial when the signal aborts. May take days. With `because` a person
   * is asked also for a call that the rules would let through.
   */
  ask(call: ToolCall, signal: AbortSignal, because?: string): Promise<ToolVerdict>
}

/** What an agent (AskUserQuestion) or an MCP server (elicitation) wants to know from a person. */
export interface AskedQuestion {
  readonly source: 'agent' | 'mcp'
  readonly server: string | null
  readonly toolUseId: string | null
  readonly agent: AgentPath
  readonly message: string
  readonly items: readonly QuestionItem[]
  readonly schema: JsonObject | null
  readonly url: string | null
}

export type QuestionReply =
  | { readonly type: 'answered'; readonly answers: JsonObject; readonly note: string | null }
  | { readonly type: 'declined'; readonly message: string }

/** Questions to people. Never rejects: what goes wrong inside is a refusal with a sentence. */
export interface QuestionAsker {
  /** Resolves when a person has answered, or with a refusal when the signal aborts. May take days. */
  ask(question: AskedQuestion, signal: AbortSignal): Promise<QuestionReply>
}

/** The tools that clients run. A backend offers them to the model under `mcp__client__<name>`. */
export interface ClientToolCaller {
  /** As of now: clients come and go while a session lives. */
  list(): readonly ClientTool[]
  /** Calls back when the list has changed; returns how to stop that. */
  onChange(listener: () => void): () => void
  /** Resolves with the client's result, or with an error result when nobody gave one. Never rejects. */
  call(call: ToolCall, signal: AbortSignal): Promise<Omit<ToolOutput, 'images'>>
}

/** What a person says, with pictures where there are some. */
export type TurnInput = string | { readonly text: string; readonly images: readonly InputImage[] }

export interface ToolOutput {
  readonly output: string
  readonly isError: boolean
  readonly images?: readonly InputImage[]
}

/** A tool that the engine runs itself: of the agent file, or of an MCP server it names. */
export interface HostTool {
  /** What the model calls it by: `mcp__tools__<name>`, or `mcp__<server>__<tool>`. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface McpServerState {
  readonly name: string
  readonly status: 'connecting' | 'connected' | 'failed' | 'restarting'
  readonly error: string | null
}

/**
 * The tools of one session that run in this process, the same on every backend. The backend asks the gate and the hooks
 * before it calls one, as for its own tools.
 */
export interface HostToolbox {
  /** As of now: a module may be reloaded, a server may offer other tools. */
  list(): readonly HostTool[]
  /** Calls back when the list has changed; returns how to stop that. */
  onChange(listener: () => void): () => void
  servers(): readonly McpServerState[]
  /** Calls back when a server has come, gone or failed; returns how to stop that. */
  onServer(listener: (server: McpServerState) => void): () => void
  /** Never rejects: what goes wrong is an error result with a sentence for the model. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutput>
}

/**
 * The engine's hook points: every event in the SDK's HOOK_EVENTS passes here with the SDK's own input, and what comes
 * back is the SDK's own output (`{}` decides nothing). PreToolUse is asked after the gate and cannot lift its refusal.
 */
export interface HookPoints {
  /** Whether anybody listens: a backend need not register what nobody hears. */
  hasListener(event: string): boolean
  run(event: string, input: JsonObject, signal: AbortSignal): Promise<JsonObject>
}

/**
 * How the agent's process reaches a model. Through the gateway its token is worth nothing outside this machine and this
 * session; `environment` hands it the provider's own credentials, which its shell can then read.
 */
export type ModelAccess =
  | { readonly type: 'gateway'; readonly baseUrl: string; readonly token: string }
  | { readonly type: 'environment'; readonly variables: Readonly<Record<string, string>> }
  | InProcessAccess

/** For the loop, which has no process to keep the key from: the provider itself, and the engine's say over each request. */
export interface InProcessAccess {
  readonly type: 'in-process'
  /** Which wire it speaks. `openai` is also what Ollama and the simulator understand. */
  readonly wire: 'anthropic' | 'openai' | 'azure_openai'
  /** Who answers: those on one wire differ in what they take. */
  readonly provider: ModelProvider
  readonly baseUrl: string
  /** Never in an event, a log or an error. */
  readonly apiKey: string
  /** How the key is shown to the provider: Anthropic knows both. */
  readonly keyHeader: 'x-api-key' | 'authorization'
  readonly apiVersion: string | null
  readonly requests: RequestAdmission
  /** What the house says about a provider that fails; the loop's own where it says nothing. */
  readonly retryPolicy?: ProviderRetryPolicy
}

export interface ProviderRetryPolicy {
  /** How often a request is tried again. */
  readonly maxRetries?: number
  /** How long it may say nothing in the middle of an answer. */
  readonly silenceMs?: number
}

export interface RequestEstimate {
  readonly model: string
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly maxOutputTokens: number
}

/** What one answer used, and who gave it. */
export interface RequestUse {
  readonly apiMessageId: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly tokens: TokenCounts
}

/** Budget, rate and bookkeeping of one session's model requests, as the gateway does them for a process. */
export interface RequestAdmission {
  /**
   * Waits for the budget and the provider's rate. Aborting gives up the place: it then rejects with the signal's reason.
   * The signal stays good for the ticket.
   */
  admit(request: RequestEstimate, signal: AbortSignal): Promise<RequestTicket | RequestRefusal>
}

export interface RequestRefusal {
  readonly type: 'refuse'
  readonly status: number
  readonly errorType: string
  readonly message: string
}

/** Ends with exactly one of `settle` and `release`. */
export interface RequestTicket {
  readonly type: 'go'
  /** The answer has begun: from now on it costs money. */
  begun(use: RequestUse): void
  /** Resolves when it is booked: the answer ends after that. */
  settle(use: RequestUse): Promise<void>
  /** It ended without an answer. */
  release(): Promise<void>
  /**
   * It is tried again. Resolves when it may leave: after `delayMs`, or later where everybody waits for the provider's
   * rate, and at once when the signal it was admitted with aborts.
   */
  retrying(retry: {
    readonly attempt: number
    readonly maxRetries: number
    readonly delayMs: number
    readonly status: number | null
    readonly error: string
  }): Promise<void>
  /** The provider refused the key: the turn is about to be ended. */
  keyRefused(status: number): void
}

export interface SessionOptions {
  readonly sessionId: SessionId
  /** Absolute folder the agent works in; exists. */
  readonly cwd: string
  /** A full model id. */
  readonly model: string
  readonly modelSource: ModelSource
  readonly permissionMode: PermissionMode
  /** What is left of the session's limits: the second fence behind the engine's own. */
  readonly limits: Limits
  readonly thinking: Thinking
  /** What subagents without a model of their own run on; `null` for the lead's. */
  readonly subagentModel: string | null
  readonly gate: ToolGate
  readonly questions: QuestionAsker
  readonly clientTools: ClientToolCaller
  readonly hostTools: HostToolbox
  readonly hooks: HookPoints
  readonly modelAccess: ModelAccess
  /** What it has of its agent's tools, and what it is told beside its instructions. */
  readonly sessionTools: SessionTools
  /** The backend's own id of an earlier session to continue, as `AgentSessionStarted.backendSessionId` told it. */
  readonly resume: string | null
}

export interface EarlierMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** A place in a conversation: its end, before a message of a person, or after a message of the model. */
export type BranchPoint =
  | { readonly type: 'end' }
  | { readonly type: 'before'; readonly messageId: UserMessageId }
  | { readonly type: 'after'; readonly messageId: string }

export interface Branch {
  readonly fromSessionId: SessionId
  /** The same session for a rewind. */
  readonly toSessionId: SessionId
  /** Where the branched session works. */
  readonly cwd: string
  readonly backendSessionId: string
  readonly at: BranchPoint
}

export interface FileRewind {
  /** Relative to the working directory. */
  readonly restored: readonly string[]
  readonly notRestored: readonly { readonly path: string; readonly reason: string }[]
}

/** How much a process has grown. */
export interface ProcessLoad {
  /** `null` where the system does not tell, or without a process. */
  readonly residentBytes: number | null
  /** Turns this process has run. */
  readonly turns: number
}

/** A factory of sessions for one agent. */
export interface AgentBackend {
  /** Checks what can be checked before the first turn. Throws `BackendInitError`. Calling it twice is harmless. */
  initialize(): Promise<void>
  /**
   * One message, one answer, in a session of its own that is closed before this resolves. `context` is put before as
   * earlier messages and not executed. Returns an `ExecutionResult` for every outcome, failures included.
   */
  invokeOnce(message: string, options: SessionOptions, context?: readonly EarlierMessage[]): Promise<ExecutionResult>
  /** Cheap: a process, if there is one, starts with the first turn. */
  createSession(options: SessionOptions): Promise<AgentSession>
  /**
   * Makes a conversation of its own from the beginning of another, whose process does not run meanwhile; the other is
   * untouched. Returns the backend's id of it, `null` for an empty one. Throws `rewind.unavailable`.
   */
  branch(branch: Branch): Promise<string | null>
  /** Removes what it keeps about a session that is deleted. Unknown sessions are fine. */
  forget(sessionId: SessionId): Promise<void>
  /** Closes every session that is still open. */
  teardown(): Promise<void>
}

/** A conversation. States: ready → running → ready → … → closed. One turn at a time. */
export interface AgentSession {
  /**
   * Runs one turn. Never throws and never rejects: a failure is the last event, `TurnEnded`, which always comes exactly
   * once. Aborting the signal interrupts the turn, which then ends with outcome `interrupted`. The turn is over only
   * when the backend is idle, not at its first result. Calling it while a turn runs, or after `close`, gives a stream
   * with one `TurnEnded` of outcome `failed`.
   */
  run(input: TurnInput, signal: AbortSignal, messageId?: UserMessageId): AsyncIterable<BackendEvent>
  /**
   * Starts the process before there is anything to say, so that the first turn finds it ready. Resolves when it is, or
   * when it cannot be: the turn will tell. While a turn runs it does nothing.
   */
  warm(): Promise<void>
  /** Hands a message into the running turn. False when there is none (any more) that could take it: then nothing happened. */
  steer(input: string, messageId: UserMessageId): Promise<boolean>
  /**
   * `run` folded into its result. Returns for success, failure, turn limit, tool failure and budget; throws
   * `BackendSessionError` after a crash (the session is then closed) and `BackendTimeoutError` after a time-out, each
   * carrying `result`. Throws `BackendSessionError` while a turn runs and after `close`, and `BackendBudgetError` when
   * an earlier turn has used up the money this session was created with.
   */
  send(message: string): Promise<ExecutionResult>
  /** The text of `run` as it comes, lead agent only. Throws as `send` does. */
  sendStreaming(message: string): AsyncIterable<string>
  /** Ends the running turn and resolves when it has ended. Without one it does nothing. */
  interrupt(): Promise<void>
  /** From the next model request on. */
  setModel(model: string): Promise<void>
  setPermissionMode(mode: PermissionMode): Promise<void>
  /** From the next model request on; a backend that cannot change a running process starts another for the next turn. */
  setThinking(thinking: Thinking): Promise<void>
  /** Starts the process where there is none. */
  capabilities(): Promise<Capabilities>
  /** Brings files back to before a message, or only tells what that would do. Throws `rewind.unavailable`. */
  rewindFiles(messageId: UserMessageId, options: { readonly dryRun: boolean }): Promise<FileRewind>
  load(): ProcessLoad
  /** Ends the process and everything it started. Idempotent; a running turn ends as `interrupted` first. */
  close(): Promise<void>
}
