import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { sampleAnalysis } from '../../domain/sample-analysis.fixture.ts'
import { ExportMenu } from './export-menu.tsx'

const shown = (step: number | null): string =>
  renderToStaticMarkup(
    <ExportMenu
      analysis={sampleAnalysis}
      proofs={new Map()}
      step={step}
      readRows={async () => ({ columns: [], rows: [] })}
    />,
  )

it('offers the rows of the open step, even if no answer uses it, otherwise of the last one', () => {
  expect(shown(3)).toContain('Rows of step 3 (CSV)<small>4 rows</small>')
  expect(shown(null)).toContain('Rows of step 5 (CSV)')
})

it('offers no rows while a step without rows is open', () => {
  expect(shown(4)).not.toContain('Rows of step')
})
