import { expect, it } from 'vitest'
import type { RunPrompt } from '../../domain/analysis.ts'
import { createPromptQueue } from './prompt-queue.ts'

const question = (text: string): RunPrompt => ({ kind: 'question', callId: text, question: text, options: [] })

it('shows one prompt at a time, and returns each answer to its caller', async () => {
  const shown: (RunPrompt | null)[] = []
  const prompts = createPromptQueue((ask) => void shown.push(ask))
  const { signal } = new AbortController()
  const answers = [prompts.ask(question('A?'), signal), prompts.ask(question('B?'), signal)]
  prompts.answer(question('A?'), 'a')
  prompts.answer(question('C?'), 'unasked')
  prompts.answer(question('B?'), 'b')
  expect(await Promise.all(answers)).toEqual(['a', 'b'])
  expect(shown).toEqual([question('A?'), question('B?'), null])
})

it('withdraws an aborted prompt', async () => {
  const shown: (RunPrompt | null)[] = []
  const prompts = createPromptQueue((ask) => void shown.push(ask))
  const stop = new AbortController()
  const first = prompts.ask(question('A?'), stop.signal)
  const second = prompts.ask(question('B?'), new AbortController().signal)
  stop.abort(new Error('stopped'))
  await expect(first).rejects.toThrow('stopped')
  prompts.answer(question('B?'), 'b')
  expect(await second).toBe('b')
  expect(shown).toEqual([question('A?'), question('B?'), null])
})

it('applies an answer from a closed tab to the same prompt only', async () => {
  const shown: (RunPrompt | null)[] = []
  const prompts = createPromptQueue((ask) => void shown.push(ask))
  const { signal } = new AbortController()
  const rows: RunPrompt = { kind: 'rows', callId: 'c1', step: 2, rowCount: 7 }
  prompts.answer(rows, 'allow')
  expect(await prompts.ask(rows, signal)).toBe('allow')
  expect(shown).toEqual([])
  const more = { ...rows, rowCount: 8 }
  void prompts.ask(more, signal)
  expect(shown).toEqual([more])
})

it('keeps the first answer, even if an interrupted call asks the same again', async () => {
  const prompts = createPromptQueue(() => undefined)
  const { signal } = new AbortController()
  const first = prompts.ask(question('May I?'), signal)
  prompts.answer(question('May I?'), 'summary')
  prompts.answer(question('May I?'), 'allow')
  expect(await first).toBe('summary')
  expect(await prompts.ask(question('May I?'), signal)).toBe('summary')
})
