// SendMessage can reach further than the subagents of a session: other sessions on this machine, or all at once.
import type { Refusal } from './calls/refusal.ts'
import { type CheckedCall, textField } from './calls/rule-subject.ts'

const agentId = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** Only plain words, and only to one subagent by its id. */
export function checkMessage({ toolName, toolInput }: CheckedCall): Refusal | null {
  if (toolName !== 'SendMessage') return null
  const isPlain = agentId.test(textField(toolInput, 'to') ?? '') && textField(toolInput, 'message') !== null
  if (isPlain) return null
  const message = 'Denied: SendMessage is for words to one subagent of this session, named by its agentId.'
  return { message, rule: 'SendMessage reaches subagents only' }
}
