// The lifecycle of a subagent. Its path is the list of tool uses that lead to it, including its own.
import { draft } from '@quarterdeck/protocol'
import type { z } from 'zod'
import type { TaskNotification, TaskStarted } from './sdk-message.ts'
import { emit, type Subagent, type Translated, type Translation } from './translation.ts'

export function startSubagent(state: Translation, started: z.infer<typeof TaskStarted>): Translated {
  // Shells and monitors are tasks too, but their calls are events already.
  if (started.task_type !== 'local_agent') return { state, events: [] }
  const { task_id: agentId, tool_use_id: toolUseId, description } = started
  const parent = started.parent_task_id === undefined ? undefined : state.subagents.get(started.parent_task_id)
  const above = parent?.path ?? state.calls.get(toolUseId)?.agent ?? []
  const path = [...above, toolUseId]
  const subagent: Subagent = { agentId, toolUseId, path, hasStopped: false }
  const known = {
    ...state,
    subagents: new Map(state.subagents).set(agentId, subagent),
    paths: new Map(state.paths).set(toolUseId, path),
  }
  const data = { agentId, agentType: started.subagent_type ?? 'agent', parentToolUseId: toolUseId, description }
  return emit(known, [draft('SubagentStarted', data, { agent: path })])
}

export function notifySubagent(state: Translation, notification: z.infer<typeof TaskNotification>): Translated {
  const subagent = state.subagents.get(notification.task_id)
  if (subagent === undefined) return { state, events: [] }
  const isError = notification.status !== 'completed'
  return stopSubagent(state, { toolUseId: subagent.toolUseId, isError, summary: notification.summary })
}

/** Emitted once per subagent: by its notification or, if that never arrives, by the result of its call. */
export function stopSubagent(
  state: Translation,
  end: { readonly toolUseId: string; readonly isError: boolean; readonly summary: string },
): Translated {
  const { toolUseId, isError, summary } = end
  const subagent = [...state.subagents.values()].find((one) => one.toolUseId === toolUseId && !one.hasStopped)
  if (subagent === undefined) return { state, events: [] }
  const { agentId, path } = subagent
  const subagents = new Map(state.subagents).set(agentId, { ...subagent, hasStopped: true })
  const data = { agentId, parentToolUseId: toolUseId, isError, summary }
  return emit({ ...state, subagents }, [draft('SubagentStopped', data, { agent: [...path] })])
}
