import { expect, it } from 'vitest'
import type { Ask } from '../analysis.ts'
import { createAskDesk } from './create-ask-desk.ts'

const question = (words: string): Ask => ({ kind: 'question', callId: words, question: words, options: [] })

it('shows one thing at a time, and gives each answer to the one who asked', async () => {
  const shown: (Ask | null)[] = []
  const desk = createAskDesk((ask) => void shown.push(ask))
  const { signal } = new AbortController()
  const answers = [desk.ask(question('A?'), signal), desk.ask(question('B?'), signal)]
  desk.answer(question('A?'), 'a')
  desk.answer(question('C?'), 'nobody asked')
  desk.answer(question('B?'), 'b')
  expect(await Promise.all(answers)).toEqual(['a', 'b'])
  expect(shown).toEqual([question('A?'), question('B?'), null])
})

it('takes back what nobody wants to know any more', async () => {
  const shown: (Ask | null)[] = []
  const desk = createAskDesk((ask) => void shown.push(ask))
  const stop = new AbortController()
  const first = desk.ask(question('A?'), stop.signal)
  const second = desk.ask(question('B?'), new AbortController().signal)
  stop.abort(new Error('stopped'))
  await expect(first).rejects.toThrow('stopped')
  desk.answer(question('B?'), 'b')
  expect(await second).toBe('b')
  expect(shown).toEqual([question('A?'), question('B?'), null])
})

it('takes an answer that was given to a tab that is gone, to the same and not to another', async () => {
  const shown: (Ask | null)[] = []
  const desk = createAskDesk((ask) => void shown.push(ask))
  const { signal } = new AbortController()
  const rows: Ask = { kind: 'rows', callId: 'c1', step: 2, rowCount: 7 }
  desk.answer(rows, 'allow')
  expect(await desk.ask(rows, signal)).toBe('allow')
  expect(shown).toEqual([])
  const more = { ...rows, rowCount: 8 }
  void desk.ask(more, signal)
  expect(shown).toEqual([more])
})

it('holds to the first answer, also where a call that was cut off asks the same again', async () => {
  const desk = createAskDesk(() => undefined)
  const { signal } = new AbortController()
  const first = desk.ask(question('May I?'), signal)
  desk.answer(question('May I?'), 'summary')
  desk.answer(question('May I?'), 'allow')
  expect(await first).toBe('summary')
  expect(await desk.ask(question('May I?'), signal)).toBe('summary')
})
