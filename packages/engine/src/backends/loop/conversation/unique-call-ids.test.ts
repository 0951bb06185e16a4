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

it('leaves the ids of a model that keeps its calls apart as they are', () => {
  const parts: AnswerPart[] = [{ type: 'text', text: 'look' }, call('a'), call('b')]
  expect(uniqueCallIds(parts, [])).toEqual(parts)
})

it('gives a call an id of its own where its id is empty, or that of another of the same answer', () => {
  const ids = idsOf(uniqueCallIds([call('a'), call('a'), call(''), call('')], []))
  expect(ids[0]).toBe('a')
  expect(new Set(ids).size).toBe(4)
  expect(ids).not.toContain('')
})

it('gives a call an id of its own where an earlier answer had it', () => {
  const before: Entry = { type: 'answer', messageId: 'msg_1', model: 'm', parts: [call('call_0')] }
  const [id] = idsOf(uniqueCallIds([call('call_0')], [before]))
  expect(id).toMatch(/^call_[\w-]{36}$/)
})
