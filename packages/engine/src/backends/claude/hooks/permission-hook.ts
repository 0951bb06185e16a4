// The gate as the CLI knows it. Our hook is asked before every call and answers allow, deny or ask; only `ask` reaches
// `canUseTool`, which waits for a person as long as it takes.
import type { CanUseTool, HookCallback, HookCallbackMatcher, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { AgentPath, JsonObject } from '@quarterdeck/protocol'
import { asObject } from '../../../json/as-object.ts'
import { clientToolName } from '../../../tool-names/client-tool-names.ts'
import type { SessionOptions, ToolCall, ToolVerdict } from '../../backend.ts'
import { narrowByHooks } from '../../hooks/narrow-by-hooks.ts'
import { questionTool } from '../../question-tool.ts'
import { answerTool, toolNameOf } from '../translate/translate-assistant.ts'
import { answerQuestions } from './question-hook.ts'

export interface HookCallContext {
  /** Where in the tree of agents a call comes from. Waits a moment: the hook can be faster than the message. */
  pathOf(agentId: string | undefined): Promise<AgentPath>
  /** Resolves once the call has been told as an event, so that nobody is asked about a call nobody has seen. */
  reported(toolUseId: string): Promise<void>
  /** The call may run from now on. */
  started(toolUseId: string): void
}

/** Seconds. The hook itself waits for nobody; past its time the CLI refuses the call. */
const hookTimeout = 3_600

export interface PermissionHook {
  readonly canUseTool: CanUseTool
  readonly hook: HookCallbackMatcher
  /** Forgets what the last turn left: calls that were interrupted between the hook and what comes after it. */
  beginTurn(): void
  /** Whose call of a tool outside the CLI it is that was let through; told once. */
  takeAgentOf(toolUseId: string): AgentPath
  /** Whether a call of a tool outside the CLI was let through with nothing of its input; told once. */
  takeEmptied(toolUseId: string): boolean
}

type HookDeps = 'gate' | 'questions' | 'hooks' | 'clientTools' | 'hostTools'

export interface PermissionHookOptions extends Pick<SessionOptions, HookDeps> {
  /** The lead gives its answer by a call, which is no tool of the agent. */
  readonly answersByCall?: boolean
}

/** What stands between the hook, which says `ask`, and `canUseTool`, which asks. */
interface PendingAsk {
  readonly input: JsonObject
  /** A hook wants a person to decide, whatever the rules say. */
  readonly because: string | undefined
}

export function createPermissionHook(
  { gate, questions, hooks, clientTools, hostTools, answersByCall = false }: PermissionHookOptions,
  context: HookCallContext,
): PermissionHook {
  const pendingAsks = new Map<string, PendingAsk>()
  const agents = new Map<string, AgentPath>()
  const emptied = new Set<string>()

  /** Its input reaches the engine, which knows what was let through. */
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
      return hookOutput({ type: 'allow', input: asObject(tool_input) }, {})
    }
    const call = await callOf(tool_name, asObject(tool_input), { toolUseId: tool_use_id, agentId: agent_id })
    if (call.toolName.startsWith('mcp__')) agents.set(tool_use_id, call.agent)
    const checked = await gate.check(call)
    const narrowed = await narrowByHooks({ gate, hooks }, { call, verdict: checked, input: { ...input } }, signal)
    // A question is never answered by letting it run: it always goes to a person.
    const isQuestion = call.toolName === questionTool
    const verdict = isQuestion && narrowed.verdict.type === 'allow' ? ({ type: 'ask' } as const) : narrowed.verdict
    if (verdict.type === 'ask') pendingAsks.set(tool_use_id, { input: narrowed.input, because: narrowed.because })
    if (verdict.type === 'allow') context.started(tool_use_id)
    return hookOutput(verdict, narrowed.output)
  }

  /** A hook that throws decides nothing, and the CLI would then wave calls through (measured): so it never throws. */
  const beforeTool: HookCallback = async (input, _toolUseId, { signal }) => {
    try {
      return await judge(input as PreToolUseHookInput, signal) // registered for nothing else
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
      // After a person the CLI takes an empty input for "unchanged" and runs the call as the model asked (measured).
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
    beginTurn() {
      pendingAsks.clear()
      agents.clear()
      emptied.clear()
    },
    takeAgentOf(toolUseId) {
      const agent = agents.get(toolUseId) ?? null
      agents.delete(toolUseId)
      return agent
    },
    takeEmptied: (toolUseId) => emptied.delete(toolUseId),
  }
}

const isEmpty = (input: JsonObject): boolean => Object.keys(input).length === 0

function hookOutput(verdict: ToolVerdict | { readonly type: 'ask' }, { hookSpecificOutput, ...common }: JsonObject) {
  return {
    ...common,
    hookSpecificOutput: {
      hookEventName: 'PreToolUse' as const,
      permissionDecision: verdict.type,
      ...(verdict.type === 'allow' && { updatedInput: verdict.input }),
      ...(verdict.type === 'deny' && { permissionDecisionReason: verdict.message }),
      ...contextOf(hookSpecificOutput),
    },
  }
}

function contextOf(specific: unknown): { additionalContext?: string } {
  if (typeof specific !== 'object' || specific === null || !('additionalContext' in specific)) return {}
  const { additionalContext } = specific
  return typeof additionalContext === 'string' ? { additionalContext } : {}
}
