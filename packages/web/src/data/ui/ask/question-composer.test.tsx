import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { QuestionComposer } from './question-composer.tsx'

const page = (tables: readonly string[], scope: readonly string[]): string =>
  renderToStaticMarkup(
    <QuestionComposer
      {...{ draft: 'How many?', box: { current: null }, placeholder: '', tables, scope, runningId: null }}
      {...{ isSending: false, isSimulated: false, problem: null, estimate: () => ({ units: 1, costUsd: null }) }}
      {...{ onDraft: nothing, onScope: nothing, onAsk: nothing, onStop: nothing }}
    />,
  )
const nothing = (): void => undefined
const words = 'Choose a table for this question.'

it('says why a question cannot be asked when no loaded table is selected', () => {
  expect(page(['sales'], [])).toContain(words)
  expect(page(['sales'], ['removed'])).toContain(words)
  expect(page(['sales'], ['removed'])).toContain('disabled')
  expect(page(['sales'], ['sales', 'removed'])).not.toContain(words)
  expect(page(['sales'], ['sales', 'removed'])).not.toContain('disabled')
})

it('shows many tables as a count, and a few tables by name', () => {
  const many = Array.from({ length: 62 }, (_, n) => `t${n}`)
  expect(page(many, ['t1', 't2', 'removed'])).toContain('2 of 62 tables')
  expect(page(many, ['t1'])).not.toContain('class="chip')
  expect(page(['sales', 'depots'], ['sales'])).not.toContain('of 2 tables')
})
