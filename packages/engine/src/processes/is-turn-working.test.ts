import type { SessionState } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { isTurnWorking } from './is-turn-working.ts'

const none: ReadonlySet<string> = new Set()
const tool = (toolUseId: string, toolName = 'Bash') => ({ toolUseId, toolName, agent: null })
const ask = (toolUseId: string | null, agent: readonly string[] | null = null) =>
  ({ toolUseId, agent }) as unknown as SessionState['questions'][number] // only what is looked at

const isWorking = (openTools: SessionState['openTools'], ...questions: SessionState['questions']) =>
  isTurnWorking(none, { openTools, questions, approvals: [], clientCalls: [] })

it('is a turn with a request under way, or a tool that does not wait', () => {
  const idle = { openTools: [], questions: [], approvals: [], clientCalls: [] }
  expect(isTurnWorking(new Set(['request']), idle)).toBe(true)
  expect(isTurnWorking(none, idle)).toBe(false)
  expect(isWorking([tool('one')])).toBe(true)
  expect(isWorking([tool('one')], ask('one'))).toBe(false)
  expect(isWorking([tool('one'), tool('two')], ask('one'))).toBe(true)
})

it('is none whose only subagent waits', () => {
  expect(isWorking([tool('outer', 'Agent')], ask('inner', ['outer']))).toBe(false)
  expect(isWorking([tool('outer', 'Agent'), tool('other', 'Agent')], ask('inner', ['outer']))).toBe(true)
})

it('is none whose server asks in the middle of a call', () => {
  expect(isWorking([tool('one', 'mcp__tickets__open')], ask(null))).toBe(false)
  expect(isWorking([tool('one', 'mcp__tickets__open'), tool('two')], ask(null))).toBe(true)
})
