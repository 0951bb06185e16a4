// The calls of a turn without a result, and how long each of them waited for a person.
import type { EventOfType } from '@quarterdeck/protocol'
import { timeOf } from './span-of-turn.ts'

export interface UnfinishedToolCall {
  readonly event: EventOfType<'AgentInvokedTool'>
  waitedMs: number
  decision: string | null
}

export function createOpenCalls() {
  const calls = new Map<string, UnfinishedToolCall>()
  const asked = new Map<string, { readonly toolUseId: string; readonly since: number }>()
  return {
    begin(event: EventOfType<'AgentInvokedTool'>): void {
      calls.set(event.data.toolUseId, { event, waitedMs: 0, decision: null })
    },
    ask({ data, at }: EventOfType<'ApprovalRequested'>): void {
      asked.set(data.approvalId, { toolUseId: data.toolUseId, since: timeOf(at) })
    },
    settle({ data, at }: EventOfType<'ApprovalDecided'> | EventOfType<'ApprovalExpired'>): void {
      const wait = asked.get(data.approvalId)
      const call = wait === undefined ? undefined : calls.get(wait.toolUseId)
      asked.delete(data.approvalId)
      if (wait === undefined || call === undefined) return
      call.waitedMs += timeOf(at) - wait.since
      call.decision = 'decision' in data ? data.decision : 'expired'
    },
    take(toolUseId: string): UnfinishedToolCall | undefined {
      const call = calls.get(toolUseId)
      calls.delete(toolUseId)
      return call
    },
    left: (): readonly UnfinishedToolCall[] => [...calls.values()],
  }
}
