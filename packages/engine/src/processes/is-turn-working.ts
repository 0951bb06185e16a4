import type { SessionState } from '@quarterdeck/protocol'

type TurnActivity = Pick<SessionState, 'openTools' | 'approvals' | 'questions' | 'clientCalls'>

/**
 * Does anything happen in a turn but waiting for somebody? A request to the model does, and so does a tool, as long as it
 * likes; one that waits for an answer, and the subagent it waits in, do nothing.
 */
export function isTurnWorking(requests: ReadonlySet<string>, { openTools, ...asked }: TurnActivity): boolean {
  if (requests.size > 0) return true
  const waiting = new Set<string>()
  const asks = [...asked.approvals, ...asked.questions, ...asked.clientCalls]
  for (const { toolUseId, agent } of asks) {
    for (const id of [toolUseId, ...(agent ?? [])]) if (id !== null) waiting.add(id)
  }
  // A server asks in the middle of one of its calls and does not say of which.
  const isServerAsking = asks.some(({ toolUseId }) => toolUseId === null)
  for (const { toolUseId, toolName, agent } of isServerAsking ? openTools : []) {
    if (toolName.startsWith('mcp__')) for (const id of [toolUseId, ...(agent ?? [])]) waiting.add(id)
  }
  return openTools.some(({ toolUseId }) => !waiting.has(toolUseId))
}
