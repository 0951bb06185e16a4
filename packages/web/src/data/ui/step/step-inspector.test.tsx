import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { AnalysisStep } from '../../domain/analysis.ts'
import { sampleRows, sampleStep } from '../../domain/sample-analysis.fixture.ts'
import { StepInspector, type StepRowsState } from './step-inspector.tsx'

const nothing = () => undefined
const actions = {
  onRun: nothing,
  onRunFrom: nothing,
  onRestore: nothing,
  onUseAsTable: nothing,
  onExport: nothing,
  onAskAbout: nothing,
  onClose: nothing,
  onStop: null,
}
const rows = sampleRows.get(3)
const there: StepRowsState = rows === undefined ? { status: 'none' } : { status: 'loaded', rows, total: 4 }

interface More {
  readonly problem?: string
  readonly rows?: StepRowsState
  readonly proves?: readonly string[]
  readonly onStop?: () => void
}

const shown = (step: AnalysisStep, more: More = {}): string =>
  renderToStaticMarkup(
    <StepInspector
      {...{
        step,
        actions: { ...actions, onStop: more.onStop ?? null },
        rows: more.rows ?? there,
        problem: more.problem ?? null,
      }}
      outlined={{ step: 3, row: 0, column: 'sept' }}
      proves={more.proves ?? ['14.8 %']}
      hasReaders={true}
      takenNames={[]}
      withheld={null}
      isBusy={step.state === 'running'}
    />,
  )

it('shows the reason, code, rows with the outlined cell, proofs, sent data and author', () => {
  const page = shown(sampleStep(3, { thought: 'Compares <July>', code: "SELECT 'a' AS x" }))
  for (const words of [
    ...['Step 3', 'ran in 38 ms', 'Compares &lt;July&gt;', 'This cell proves <b>14.8 %</b> in the answer.'],
    ...['Sent to the model: 4 summary rows, 0.2 kB.', 'As the model wrote it.', 'Export CSV'],
  ]) {
    expect(page).toContain(words)
  }
  expect(page).toContain('<span class="word">SELECT</span>')
  expect(page).toMatch(/class="[^"]*hit[^"]*"/)
  expect(page).not.toContain('Restore original')
})

it('outlines the cell only while it proves a number of an answer', () => {
  const page = shown(sampleStep(3), { proves: [] })
  expect(page).not.toMatch(/class="[^"]*hit[^"]*"/)
  expect(page).not.toContain('This cell proves')
})

it('marks a step as edited by the user, and offers the original', () => {
  const page = shown({ ...sampleStep(3), original: 'SELECT 0' })
  expect(page).toContain('Edited by you')
  expect(page).toContain('Restore original')
})

it.each([
  [{ sent: null }, 'Nothing of this step was sent to the model.'],
  [{ sent: { bytes: 90, rows: 0 } }, 'Sent to the model: no rows, only their number and column names, 90 B.'],
  [{ sent: { bytes: 210, rows: 1 } }, 'Sent to the model: 1 row, 0.2 kB.'],
  [{ sent: { bytes: 210, rows: 2, rowsKind: 'files' } }, 'Sent to the model: 2 rows of your files, 0.2 kB.'],
  [{ sent: { bytes: 90, rows: 0, isError: true } }, 'Sent to the model: an error, 90 B.'],
  // Later changes of the step do not change what was sent.
  [{ isSummary: false }, 'Sent to the model: 4 summary rows, 0.2 kB.'],
  [{ state: 'error', error: 'gone' }, 'Sent to the model: 4 summary rows, 0.2 kB.'],
  [{ original: 'SELECT 0' }, 'Sent to the model before the edit: 4 summary rows, 0.2 kB.'],
] satisfies [Partial<AnalysisStep>, string][])('describes exactly what was sent: %j', (change, words) => {
  expect(shown(sampleStep(3, change))).toContain(words)
})

it('shows why a step failed, and why the last attempt did', () => {
  const failed = sampleStep(4, { state: 'error', error: 'no column "carier"' })
  expect(shown(failed, { rows: { status: 'none' } })).toContain('no column &quot;carier&quot;')
  const tried = shown(failed, { rows: { status: 'none' }, problem: 'syntax error' })
  expect(tried).toContain('syntax error')
  expect(tried).toContain('role="alert"')
})

it('offers to stop a rerunning step, and to run a stopped one', () => {
  const running = sampleStep(3, { state: 'running' })
  expect(shown(running, { onStop: nothing })).toContain('>Stop</button>')
  expect(shown(running)).not.toContain('>Stop</button>')
  const stopped = shown(sampleStep(3, { state: 'cancelled', error: 'run it again' }), { rows: { status: 'none' } })
  expect(stopped).toContain('run it again')
  expect(stopped).toMatch(/<button(?![^>]*disabled)[^>]*>Run from here/)
})
