import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Run } from '../../domain/analysis.ts'
import { sampleRows, sampleRun } from '../../domain/sample-analysis.fixture.ts'
import { proveNumbers } from '../../proof/prove-numbers.ts'
import { RunBlock } from './run-block.tsx'

const nothing = () => undefined
const actions = {
  onStep: nothing,
  onProof: nothing,
  onAnswer: async () => undefined,
  onFollowUp: nothing,
  onRetry: nothing,
}

function shown(run: Run): string {
  const pieces = run.answer === null ? null : proveNumbers(run.answer, sampleRows)
  const chosen = { step: 3, proof: { step: 3, row: 0, column: 'sept' } }
  return renderToStaticMarkup(
    <RunBlock {...{ run, pieces, chosen, actions }} allSteps={run.steps} agent="analysis" charts={<i>charts</i>} />,
  )
}

/** Without attributes that carry no meaning. */
const chips = (page: string) =>
  [...page.matchAll(/<(button|span)[^>]*class="(proof[^"]*)"([^>]*)>([^<]*)/g)].map(
    ([, , look = '', more = '', text = '']) => `${text}: ${look}${more.includes('aria-current') ? ' chosen' : ''}`,
  )

it('shows the answer as Markdown with a chip per number, and distinguishes selected and unverified ones', () => {
  const page = shown(sampleRun)
  expect(chips(page)).toEqual([
    ...['6.1 %: proof', '14.8 %: proof chosen', '1.9: proof', '31 %: proof', '73 %: proof unverified'],
  ])
  expect(page).toContain('<strong>North</strong>')
  expect(page).toContain('<i>charts</i>')
})

it('keeps a number and adjacent punctuation on one line', () => {
  const answer = { ...sampleRun.answer, answer: 'Two of them (41), then 42.' } as NonNullable<Run['answer']>
  const page = shown({ ...sampleRun, answer }).replaceAll(
    /<span class="visually-hidden unverified-word">.*?<\/span>/g,
    '',
  )
  const lines = [...page.matchAll(/<span class="unbroken">(.*?)<span[^>]*>(.*?)<\/span>(.*?)<\/span>/g)]
  expect(lines.map(([, opens, number, closes]) => [opens, number, closes])).toEqual([
    ['(', '41', '),'],
    ['', '42', '.'],
  ])
})

it('shows the cost, the correction of a failed step, caveats and follow-up questions', () => {
  const page = shown(sampleRun)
  for (const words of ['Done', '5 steps', '6.8 s', '$0.04', '1,240 units', 'sent 0.2 kB', '0.4 s', '52 rows']) {
    expect(page).toContain(words)
  }
  expect(page).toContain('no column “carier”, corrected in step 5')
  expect(page).toContain('19,346 rows without a delivery time are left out')
  expect(page).toContain('When did it start?')
})

it('loads no pictures and renders no HTML of a model', () => {
  const answer = {
    ...sampleRun.answer,
    answer: '![x](https://tracker.example/p.png) <script>alert(1)</script> \uFDD00\uFDD1',
  }
  const page = shown({ ...sampleRun, answer: answer as Run['answer'] })
  expect(page).not.toMatch(/<img|<script/)
})

it('marks an edited step, a stale one, and the answer that uses them', () => {
  const steps = sampleRun.steps.map((step) =>
    step.n === 3 ? { ...step, original: 'SELECT 1' } : step.n === 5 ? { ...step, state: 'stale' as const } : step,
  )
  const page = shown({ ...sampleRun, steps })
  expect(page).toContain('Based on an earlier version')
  expect(page).toContain('edited')
  expect(page).toContain('data-look="stale"')
  expect(shown(sampleRun)).not.toContain('Based on an earlier version')
})

it.each([
  [
    'rows',
    { kind: 'rows', callId: 'c5', step: 5, rowCount: 1200, tables: ['deliveries'], columns: ['id', 'carrier'] },
    [
      ...['Needs approval', 'analysis wants to see 1,200 rows of your files', 'the first 100 are sent, once'],
      ...['SELECT 5', 'deliveries', 'id, carrier', 'Summary only'],
    ],
  ],
  [
    'small groups',
    { kind: 'rows', callId: 'c5', step: 5, rowCount: 4, smallGroups: { groups: 4, rows: 16, below: 3, smallest: 1 } },
    [
      'analysis wants to see 4 small groups.',
      'The groups are too small for a summary: 3 groups have fewer than 5 rows; the smallest has 1.',
    ],
  ],
  [
    'a question',
    { kind: 'question', callId: 'c6', question: 'Which <b>quarter</b>?', options: ['Q1', 'Q2'] },
    ['Has a question', 'Which &lt;b&gt;quarter&lt;/b&gt;?', 'Q2', 'Something else'],
  ],
] as const)('asks for %s in a card with a label for screen readers', (_, ask, words) => {
  const page = shown({ ...sampleRun, state: 'waiting', answer: null, endedAt: null, ask })
  for (const one of words) expect(page).toContain(one)
  expect(page).toContain('role="alert"')
})

it('says what failed, what was kept and what to do, and what a stopped run has', () => {
  const failure = { message: 'The provider is overloaded', code: 'provider.overloaded', isRetryable: true }
  const failed = shown({ ...sampleRun, state: 'failed', answer: null, failure })
  for (const words of [
    'The provider is overloaded',
    'Saved: the question',
    '4 steps',
    'Ask again',
    'provider.overloaded',
  ])
    expect(failed).toContain(words)
  const stopped = shown({ ...sampleRun, state: 'cancelled', answer: null })
  const cut = sampleRun.steps.map((step) => ({ ...step, state: 'cancelled' as const }))
  expect(stopped).toContain('The rows of 4 steps are kept')
  const early = shown({ ...sampleRun, state: 'cancelled', answer: null, steps: cut })
  expect(early).toContain('No step has rows yet.')
  expect(shown({ ...sampleRun, state: 'failed', answer: null, failure, steps: cut })).not.toContain('0 steps')
  // One word, in its label.
  expect(stopped).not.toContain('Stopped')
  expect(stopped).toContain('Cancelled')
})
