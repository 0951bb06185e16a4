// Why a tool call did not do its work: a person or a rule said no, the process died under it, or the tool failed.
import type { ToolCallEntry } from '../../replies/read-conversation.ts'

export interface BlockedCall {
  readonly call: ToolCallEntry
  readonly why: 'denied' | 'interrupted' | 'failed'
  readonly message: string
}

// How Quarterdeck and the CLI begin when a call was not let run. What a tool says of itself ("NetBox refused the token",
// "permission denied") may have the same words further on.
const denialPattern =
  /^(?:denied\b|declined\b|nobody\b|permission to\b|claude requested permission|the user (?:doesn't|does not) want|\S+ (?:was refused by a hook|is not allowed)|.*hook error)/i
const interruptionPattern = /tool call interrupted|tool result missing|request interrupted/i
// What these tools report themselves has a known shape (measured); any other error means that they were not let run.
const ranAndFailed = /^(?:<tool_use_error>|exit code \d+|error:|E[A-Z]+:|command timed out)/i
const speaksClearly = new Set(['Bash', 'Edit', 'Write'])

export function blockedCall(call: ToolCallEntry): BlockedCall | null {
  if (call.result === null) return { call, why: 'interrupted', message: 'no result arrived' }
  if (!call.result.isError) return null
  const message = call.result.text.replaceAll(/<\/?tool_use_error>/g, '').trim()
  return { call, why: reasonOf(call), message }
}

function reasonOf(call: ToolCallEntry): BlockedCall['why'] {
  const text = call.result?.text ?? ''
  if (interruptionPattern.test(text)) return 'interrupted'
  if (ranAndFailed.test(text)) return 'failed'
  return speaksClearly.has(call.name) || denialPattern.test(text) ? 'denied' : 'failed'
}
