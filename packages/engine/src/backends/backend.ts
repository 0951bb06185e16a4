// The port every agent runtime stands behind. The suite in backend.contract.ts is what it promises in runnable form.
import type {
  AgentPath,
  AgentStreamToken,
  EventDraft,
  EventType,
  ExecutionResult,
  JsonObject,
  Limits,
  ModelSource,
  PermissionMode,
  SessionId,
} from '@quarterdeck/protocol'

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
  /** Resolves when a person has decided, or with a denial when the signal aborts. May take days. */
  ask(call: ToolCall, signal: AbortSignal): Promise<ToolVerdict>
}

/**
 * How the agent's process reaches a model. Through the gateway its token is worth nothing outside this machine and this
 * session; `environment` hands it the provider's own credentials, which its shell can then read.
 */
export type ModelAccess =
  | { readonly type: 'gateway'; readonly baseUrl: string; readonly token: string }
  | { readonly type: 'environment'; readonly variables: Readonly<Record<string, string>> }

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
  readonly gate: ToolGate
  readonly modelAccess: ModelAccess
  /** The backend's own id of an earlier session to continue, as `AgentSessionStarted.backendSessionId` told it. */
  readonly resume: string | null
}

export interface EarlierMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
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
  run(input: string, signal: AbortSignal): AsyncIterable<BackendEvent>
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
  /** Ends the process and everything it started. Idempotent; a running turn ends as `interrupted` first. */
  close(): Promise<void>
}
