// Why a tool call did not complete: a person or a rule refused it, its process died, or the tool failed.
import type { ToolCallEntry } from '../../replies/read-conversation.ts'

export interface BlockedCall {
  readonly call: ToolCallEntry
  readonly why: 'denied' | 'interrupted' | 'failed'
  readonly message: string
}

// How Quarterdeck and the CLI begin the result of a refused call. A tool's own message ("NetBox refused the token",
// "permission denied") may contain the same words later.
const denialPattern =
  /^(?:denied\b|declined\b|no person\b|permission to\b|claude requested permission|the user (?:doesn't|does not) want|\S+ (?:was refused by a hook|is not allowed)|.*hook error)/i
const interruptionPattern = /tool call interrupted|tool result missing|request interrupted/i
// The errors of these tools have a known shape (measured); any other error means that the call was refused.
const ranAndFailed = /^(?:<tool_use_error>|exit code \d+|error:|E[A-Z]+:|command timed out)/i
const knownErrorTools = new Set(['Bash', 'Edit', 'Write'])

export function blockedCall(call: ToolCallEntry): BlockedCall | null {
  if (call.result === null) return { call, why: 'interrupted', message: 'no result arrived' }
  if (!call.result.isError) return null
  const message = withoutInstructions(call.result.text.replaceAll(/<\/?tool_use_error>/g, '')).trim()
  return { call, why: reasonOf(call), message }
}

/** Omits the prefix of the CLI, and the instructions of a denial to the model and the author of the agent file. */
const withoutInstructions = (text: string): string =>
  text.replace(/^PreToolUse:\S+ hook error: /, '').replace(/^Denied: (.* no person can be asked here)[.:].*$/s, '$1.')

function reasonOf(call: ToolCallEntry): BlockedCall['why'] {
  const text = call.result?.text ?? ''
  if (interruptionPattern.test(text)) return 'interrupted'
  if (ranAndFailed.test(text)) return 'failed'
  return knownErrorTools.has(call.name) || denialPattern.test(text) ? 'denied' : 'failed'
}
