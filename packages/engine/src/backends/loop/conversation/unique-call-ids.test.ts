import { expect, it } from 'vitest'
import { type AnswerPart, callsOf, type Entry } from './entry.ts'
import { uniqueCallIds } from './unique-call-ids.ts'

const call = (toolUseId: string): AnswerPart => ({
  type: 'call',
  toolName: 'one',
  toolInput: {},
  unreadable: null,
  toolUseId,
})
const idsOf = (parts: readonly AnswerPart[]) => callsOf(parts).map(({ toolUseId }) => toolUseId)

it('keeps ids that are already unique', () => {
  const parts: AnswerPart[] = [{ type: 'text', text: 'look' }, call('a'), call('b')]
  expect(uniqueCallIds(parts, [])).toEqual(parts)
})

it('replaces an id that is empty or repeated within an answer', () => {
  const ids = idsOf(uniqueCallIds([call('a'), call('a'), call(''), call('')], []))
  expect(ids[0]).toBe('a')
  expect(new Set(ids).size).toBe(4)
  expect(ids).not.toContain('')
})

it('replaces an id that an earlier answer used', () => {
  const before: Entry = { type: 'answer', messageId: 'msg_1', model: 'm', parts: [call('call_0')] }
  const [id] = idsOf(uniqueCallIds([call('call_0')], [before]))
  expect(id).toMatch(/^call_[\w-]{36}$/)
})
