// The port that every agent runtime implements. The suite in backend.contract.ts tests its contract.
import type {
  AgentStreamToken,
  Capabilities,
  ClientTool,
  EventDraft,
  EventType,
  ExecutionResult,
  InputImage,
  JsonObject,
  Limits,
  ModelSource,
  PermissionMode,
  SessionId,
  Thinking,
  UserMessageId,
} from '@quarterdeck/protocol'
import type { HostToolbox } from '../ports/host-toolbox.ts'
import type { ModelAccess } from '../ports/model-access.ts'
import type { QuestionAsker } from '../ports/question-asker.ts'
import type { ToolCall, ToolOutput } from '../ports/tool-call.ts'

/** Events of a running turn: drafts for the log, tokens to stream, and exactly one `TurnEnded`, which comes last. */
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

export type ToolVerdict =
  | { readonly type: 'allow'; readonly input: JsonObject }
  | { readonly type: 'deny'; readonly message: string }

/**
 * The engine's decision on every tool call. A backend calls `check` before each call and, if the answer is `ask`, waits
 * for `ask`. Neither rejects: an internal failure is a denial with a message.
 */
export interface ToolGate {
  /** Decides without waiting for a person. The answer `ask` means: call `ask` and wait for its verdict. */
  check(call: ToolCall): Promise<ToolVerdict | { readonly type: 'ask' }>
  /**
   * Resolves when a person has decided, or with a denial when the signal aborts. May take days. With `because`, a
   * person is asked even for a call that the rules allow.
   */
  ask(call: ToolCall, signal: AbortSignal, because?: string): Promise<ToolVerdict>
}

/** The tools that clients run. A backend offers them to the model as `mcp__client__<name>`. */
export interface ClientToolCaller {
  /** The current list: clients connect and disconnect during a session. */
  list(): readonly ClientTool[]
  /** Calls `listener` when the list has changed. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void
  /** Resolves with the client's result, or with an error result if no client returned one. Never rejects. */
  call(call: ToolCall, signal: AbortSignal): Promise<Omit<ToolOutput, 'images'>>
}

/** A user message, optionally with images. */
export type TurnInput = string | { readonly text: string; readonly images: readonly InputImage[] }

/**
 * The engine's hooks. Every event in the SDK's HOOK_EVENTS arrives here with the SDK's input and returns the SDK's
 * output; `{}` means no decision. PreToolUse runs after the gate and cannot lift a denial.
 */
export interface HookPoints {
  /** Backends need not register events without a listener. */
  hasListener(event: string): boolean
  run(event: string, input: JsonObject, signal: AbortSignal): Promise<JsonObject>
}

export interface SessionOptions {
  readonly sessionId: SessionId
  /** Absolute path of an existing folder in which the agent works. */
  readonly cwd: string
  /** A full model id. */
  readonly model: string
  readonly modelSource: ModelSource
  readonly permissionMode: PermissionMode
  /** The remaining limits of the session. They are a second check behind the engine's own. */
  readonly limits: Limits
  readonly thinking: Thinking
  /** The model of subagents that name none; `null` means the lead's model. */
  readonly subagentModel: string | null
  readonly gate: ToolGate
  readonly questions: QuestionAsker
  readonly clientTools: ClientToolCaller
  readonly hostTools: HostToolbox
  readonly hooks: HookPoints
  readonly modelAccess: ModelAccess
  readonly sessionTools: SessionTools
  /** The backend's id of an earlier session to continue, from `AgentSessionStarted.backendSessionId`. */
  readonly resume: string | null
}

/** The settings of a session that may change while it is open. */
export type ChosenSettings = Pick<SessionOptions, 'model' | 'permissionMode' | 'thinking'>

/** The part of its agent that a session uses: a subset of the tools, plus further instructions. */
export interface SessionTools {
  /** Appended to the instructions of the agent file. */
  readonly instructions: string | null
  /** Whether the session has a tool of its agent. `toolName` is the name the model uses. */
  has(toolName: string): boolean
}

export interface EarlierMessage {
  readonly role: 'user' | 'assistant'
  readonly content: string
}

/** A position in a conversation: its end, before a user message, or after a model message. */
export type BranchPoint =
  | { readonly type: 'end' }
  | { readonly type: 'before'; readonly messageId: UserMessageId }
  | { readonly type: 'after'; readonly messageId: string }

export interface Branch {
  readonly fromSessionId: SessionId
  /** For a rewind, the same session. */
  readonly toSessionId: SessionId
  /** The working directory of the branched session. */
  readonly cwd: string
  readonly backendSessionId: string
  readonly at: BranchPoint
}

export interface FileRewind {
  /** Relative to the working directory. */
  readonly restored: readonly string[]
  readonly notRestored: readonly { readonly path: string; readonly reason: string }[]
}

/** The size of a process. */
export interface ProcessLoad {
  /** `null` without a process or if the system does not report it. */
  readonly residentBytes: number | null
  /** Turns this process has run. */
  readonly turns: number
}

/** Creates the sessions of one agent. */
export interface AgentBackend {
  /** Checks everything that can be checked before the first turn. Throws `BackendInitError`. Can be called twice. */
  initialize(): Promise<void>
  /**
   * Sends one message in a new session and closes the session before resolving. `context` is prepended as earlier
   * messages and not executed. Returns an `ExecutionResult` for every outcome, failures included.
   */
  invokeOnce(message: string, options: SessionOptions, context?: readonly EarlierMessage[]): Promise<ExecutionResult>
  /** Cheap: the process, if there is one, starts with the first turn. */
  createSession(options: SessionOptions): Promise<AgentSession>
  /**
   * Copies the start of a conversation into a new one. The process of the original must not be running; the original is
   * not changed. Returns the backend's id of the copy, `null` if it is empty. Throws `rewind.unavailable`.
   */
  branch(branch: Branch): Promise<string | null>
  /** Removes all data of a deleted session. Ignores unknown sessions. */
  forget(sessionId: SessionId): Promise<void>
  /** Closes every open session. */
  teardown(): Promise<void>
}

/** A conversation. States: ready → running → ready → … → closed. One turn at a time. */
export interface AgentSession {
  /**
   * Runs one turn. Never throws and never rejects: a failure is the last event, `TurnEnded`, which is emitted exactly
   * once. Aborting the signal interrupts the turn, which then ends with outcome `interrupted`. The turn is over only
   * when the backend is idle, not at its first result. Calling `run` while a turn runs, or after `close`, returns a
   * stream with one `TurnEnded` of outcome `failed`.
   */
  run(input: TurnInput, signal: AbortSignal, messageId?: UserMessageId): AsyncIterable<BackendEvent>
  /**
   * Starts the process before the first message, so that the first turn need not wait for it. Resolves when the process
   * is ready or has failed to start; the next turn reports the failure. Does nothing while a turn runs.
   */
  warm(): Promise<void>
  /** Adds a message to the running turn. Returns false, without any effect, if no turn can accept it. */
  steer(input: string, messageId: UserMessageId): Promise<boolean>
  /**
   * `run`, reduced to its result. Returns for success, failure, turn limit, tool failure and budget. Throws
   * `BackendSessionError` after a crash (the session is then closed) and `BackendTimeoutError` after a time-out, each
   * with `result`. Throws `BackendSessionError` while a turn runs and after `close`, and `BackendBudgetError` if an
   * earlier turn has spent the session's budget.
   */
  send(message: string): Promise<ExecutionResult>
  /** Streams the text of `run`, lead agent only. Throws as `send` does. */
  sendStreaming(message: string): AsyncIterable<string>
  /** Ends the running turn and resolves when it has ended. Does nothing if no turn is running. */
  interrupt(): Promise<void>
  /** Takes effect with the next model request. */
  setModel(model: string): Promise<void>
  setPermissionMode(mode: PermissionMode): Promise<void>
  /**
   * Takes effect with the next model request. A backend that cannot change a running process starts another for the
   * next turn.
   */
  setThinking(thinking: Thinking): Promise<void>
  /** Starts the process if none is running. */
  capabilities(): Promise<Capabilities>
  /** Restores files to their state before a message, or only reports the effect. Throws `rewind.unavailable`. */
  rewindFiles(messageId: UserMessageId, options: { readonly dryRun: boolean }): Promise<FileRewind>
  load(): ProcessLoad
  /** Ends the process and all its child processes. Idempotent. A running turn ends as `interrupted` first. */
  close(): Promise<void>
}
