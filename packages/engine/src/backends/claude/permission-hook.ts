// The gate as the CLI knows it. Our hook is asked before every call and answers allow, deny or ask; only `ask` reaches
// `canUseTool`, which waits for a person as long as it takes.
import type { CanUseTool, HookCallback, HookCallbackMatcher, PreToolUseHookInput } from '@anthropic-ai/claude-agent-sdk'
import type { AgentPath, JsonObject } from '@quarterdeck/protocol'
import type { ToolCall, ToolGate, ToolVerdict } from '../backend.ts'
import { toolNameOf } from './translate/translate-assistant.ts'

export interface CallContext {
  /** Where in the tree of agents a call comes from. Waits a moment: the hook can be faster than the message. */
  pathOf(agentId: string | undefined): Promise<AgentPath>
  /** Resolves once the call has been told as an event, so that nobody is asked about a call nobody has seen. */
  told(toolUseId: string): Promise<void>
  /** The call may run from now on. */
  started(toolUseId: string): void
}

/** Seconds. The hook itself waits for nobody; past its time the CLI refuses the call. */
const hookTimeout = 3_600

export interface PermissionHook {
  readonly canUseTool: CanUseTool
  readonly hook: HookCallbackMatcher
}

export function createPermissionHook(gate: ToolGate, context: CallContext): PermissionHook {
  const callOf = async (name: string, input: JsonObject, ids: { toolUseId: string; agentId: string | undefined }) => {
    await context.told(ids.toolUseId)
    const agent = await context.pathOf(ids.agentId)
    return { toolName: toolNameOf(name), toolInput: input, toolUseId: ids.toolUseId, agent } satisfies ToolCall
  }

  /** A hook that throws decides nothing, and the CLI would then wave calls through (measured): so it never throws. */
  const beforeTool: HookCallback = async (input) => {
    try {
      const { tool_name, tool_input, tool_use_id, agent_id } = input as PreToolUseHookInput // the only hook we register
      const ids = { toolUseId: tool_use_id, agentId: agent_id }
      const verdict = await gate.check(await callOf(tool_name, asObject(tool_input), ids))
      if (verdict.type === 'allow') context.started(tool_use_id)
      return hookOutput(verdict)
    } catch (error) {
      return hookOutput({ type: 'deny', message: `the permission check failed: ${String(error)}` })
    }
  }

  const canUseTool: CanUseTool = async (name, input, { toolUseID, agentID, signal }) => {
    try {
      const call = await callOf(name, input, { toolUseId: toolUseID, agentId: agentID })
      const verdict = await gate.ask(call, signal)
      if (verdict.type === 'deny') return { behavior: 'deny', message: verdict.message }
      context.started(toolUseID)
      return { behavior: 'allow', updatedInput: verdict.input }
    } catch (error) {
      return { behavior: 'deny', message: `the permission check failed: ${String(error)}` }
    }
  }

  return { canUseTool, hook: { hooks: [beforeTool], timeout: hookTimeout } }
}

function hookOutput(verdict: ToolVerdict | { readonly type: 'ask' }) {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse' as const,
      permissionDecision: verdict.type,
      ...(verdict.type === 'allow' && { updatedInput: verdict.input }),
      ...(verdict.type === 'deny' && { permissionDecisionReason: verdict.message }),
    },
  }
}

const asObject = (input: unknown): JsonObject =>
  typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {}
