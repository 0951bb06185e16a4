// Connects the gate to the CLI. The hook runs before every call and answers allow, deny or ask. Only `ask` reaches
// `canUseTool`, which waits for a person as long as it takes.
import type { CanUseTool, HookCallback, PermissionResult, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import { type AgentPath, asJsonObject, type JsonObject } from '@quarterdeck/protocol'
import type { QuestionAsker } from '../../../ports/question-asker.ts'
import { askQuestions, questionTool } from '../../../ports/question-tool.ts'
import type { ToolCall } from '../../../ports/tool-call.ts'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { SessionOptions } from '../../backend.ts'
import { type Narrowed, narrowByHooks } from '../../hooks/narrow-by-hooks.ts'
import { answerTool, toolNameOf } from '../translate/translate-assistant.ts'

export interface HookCallContext {
  /** The agent that made a call. Waits briefly, because the hook can run before the message arrives. */
  pathOf(agentId: string | undefined): Promise<AgentPath>
  /** Resolves once the call has been emitted as an event, so that users see a call before they are asked about it. */
  reported(toolUseId: string): Promise<void>
  /** The call may now run. */
  started(toolUseId: string): void
}

/** Seconds. The hook itself does not wait for a person; after this time the CLI refuses the call. */
const hookTimeout = 3_600

export type PermissionHook = ReturnType<typeof createPermissionHook>

type HookDeps = 'gate' | 'questions' | 'hooks' | 'clientTools' | 'hostTools'

export interface PermissionHookOptions extends Pick<SessionOptions, HookDeps> {
  /** The lead returns its structured answer through a call that is not a tool of the agent. */
  readonly answersByCall?: boolean
}

/** A call for which the hook answered `ask`, until `canUseTool` asks a person. */
interface PendingAsk {
  readonly input: JsonObject
  /** Why a hook requires a decision by a person, whatever the rules say. */
  readonly because: string | undefined
}

export function createPermissionHook(
  { gate, questions, hooks, clientTools, hostTools, answersByCall = false }: PermissionHookOptions,
  context: HookCallContext,
) {
  const pendingAsks = new Map<string, PendingAsk>()
  const agents = new Map<string, AgentPath>()
  const emptied = new Set<string>()

  /** Calls of these tools reach the engine, which knows the approved input. */
  const isServedHere = (name: string): boolean =>
    hostTools.list().some((tool) => tool.name === name) ||
    clientTools.list().some((tool) => clientToolName(tool.name) === name)

  const callOf = async (name: string, input: JsonObject, ids: { toolUseId: string; agentId: string | undefined }) => {
    await context.reported(ids.toolUseId)
    const agent = await context.pathOf(ids.agentId)
    return { toolName: toolNameOf(name), toolInput: input, toolUseId: ids.toolUseId, agent } satisfies ToolCall
  }

  async function judge(input: PreToolUseHookInput, signal: AbortSignal) {
    const { tool_name, tool_input, tool_use_id, agent_id } = input
    if (answersByCall && tool_name === answerTool && agent_id === undefined) {
      return hookOutput({ type: 'allow', input: asJsonObject(tool_input) }, {})
    }
    const call = await callOf(tool_name, asJsonObject(tool_input), { toolUseId: tool_use_id, agentId: agent_id })
    if (call.toolName.startsWith('mcp__')) agents.set(tool_use_id, call.agent)
    const checked = await gate.check(call)
    const narrowed = await narrowByHooks({ gate, hooks }, { call, verdict: checked, input: { ...input } }, signal)
    // Allowing the question tool does not answer it: it always goes to a person.
    const isQuestion = call.toolName === questionTool
    const verdict = isQuestion && narrowed.verdict.type === 'allow' ? ({ type: 'ask' } as const) : narrowed.verdict
    if (verdict.type === 'ask') pendingAsks.set(tool_use_id, { input: narrowed.input, because: narrowed.because })
    if (verdict.type === 'allow') context.started(tool_use_id)
    return hookOutput(verdict, narrowed.output)
  }

  /** Never throws: a hook that throws decides nothing, and the CLI would then allow the call (measured). */
  const beforeTool: HookCallback = async (input, _toolUseId, { signal }) => {
    try {
      return await judge(input as PreToolUseHookInput, signal) // the only event it is registered for
    } catch (error) {
      return hookOutput({ type: 'deny', message: `the permission check failed: ${String(error)}` }, {})
    }
  }

  const canUseTool: CanUseTool = async (name, requestedInput, { toolUseID, agentID, signal }) => {
    try {
      const { input, because } = pendingAsks.get(toolUseID) ?? { input: requestedInput, because: undefined }
      pendingAsks.delete(toolUseID)
      const call = await callOf(name, input, { toolUseId: toolUseID, agentId: agentID })
      if (call.toolName === questionTool) return await answerQuestions(questions, call, signal)
      const verdict = await gate.ask(call, signal, because)
      if (verdict.type === 'deny') return { behavior: 'deny', message: verdict.message }
      // After an approval the CLI takes an empty input for "unchanged" and runs the call as the model requested it
      // (measured).
      if (isEmpty(verdict.input) && !isEmpty(requestedInput)) {
        if (!isServedHere(name)) return { behavior: 'deny', message: `${name} cannot be run with an empty input.` }
        emptied.add(toolUseID)
      }
      context.started(toolUseID)
      return { behavior: 'allow', updatedInput: verdict.input }
    } catch (error) {
      return { behavior: 'deny', message: `the permission check failed: ${String(error)}` }
    }
  }

  return {
    canUseTool,
    hook: { hooks: [beforeTool], timeout: hookTimeout },
    /** Drops the state of the last turn: calls that were interrupted between the hook and `canUseTool`. */
    beginTurn() {
      pendingAsks.clear()
      agents.clear()
      emptied.clear()
    },
    /** The agent that made an allowed call of a tool outside the CLI. Can be taken once. */
    takeAgentOf(toolUseId: string): AgentPath {
      const agent = agents.get(toolUseId) ?? null
      agents.delete(toolUseId)
      return agent
    },
    /** Whether a call of a tool outside the CLI was allowed with an empty input. Can be taken once. */
    takeEmptied: (toolUseId: string): boolean => emptied.delete(toolUseId),
  }
}

/** AskUserQuestion does not answer itself: the person's answers are passed as the tool's input. */
async function answerQuestions(asker: QuestionAsker, call: ToolCall, signal: AbortSignal): Promise<PermissionResult> {
  const reply = await askQuestions(asker, call, signal)
  if (reply.type === 'declined') return { behavior: 'deny', message: reply.message }
  return { behavior: 'allow', updatedInput: answered(call.toolInput, reply.answers, reply.note) }
}

/** The CLI expects several choices as one text. A list would reach the model without spaces (measured). */
function answered(input: JsonObject, answers: JsonObject, note: string | null): JsonObject {
  const texts = Object.entries(answers).map(([question, answer]) => [
    question,
    Array.isArray(answer) ? answer.join(', ') : answer,
  ])
  const [first] = Object.keys(answers)
  const annotations = note === null || first === undefined ? {} : { annotations: { [first]: { notes: note } } }
  return { ...input, answers: Object.fromEntries(texts), ...annotations }
}

const isEmpty = (input: JsonObject): boolean => Object.keys(input).length === 0

function hookOutput(verdict: Narrowed['verdict'], { hookSpecificOutput, ...common }: Narrowed['output']) {
  return {
    ...common,
    hookSpecificOutput: {
      hookEventName: 'PreToolUse' as const,
      permissionDecision: verdict.type,
      ...(verdict.type === 'allow' && { updatedInput: verdict.input }),
      ...(verdict.type === 'deny' && { permissionDecisionReason: verdict.message }),
      ...hookSpecificOutput,
    },
  }
}
