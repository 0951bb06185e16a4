import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { ImportPlan } from '../../../domain/import-plan.ts'
import { ReviewDialog } from './review-dialog.tsx'

const plan: ImportPlan = {
  file: 'a.csv',
  sizeBytes: 3,
  format: 'csv',
  encoding: 'utf-8',
  delimiter: ',',
  hasHeader: true,
  tables: [],
  warnings: [],
}

function box(canKeep: boolean) {
  const page = renderToStaticMarkup(
    <ReviewDialog
      {...{ plan, canKeep, names: [], replaces: [], waiting: 0 }}
      onReplan={async () => null}
      onCheck={async () => ({ isWhole: true, tables: [] })}
      onAdd={() => undefined}
      onAddAll={() => undefined}
      onCancel={() => undefined}
    />,
  )
  const [, input = '', words] = /(<input type="checkbox"[^>]*>)(Keep[^<]*)<\/label>/.exec(page) ?? []
  return { words, isChecked: input.includes('checked'), isDisabled: input.includes('disabled') }
}

it('offers to keep a file, and has that chosen', () => {
  const words = 'Keep in this browser, also after a refresh'
  expect(box(true)).toEqual({ words, isChecked: true, isDisabled: false })
})

it('does not offer it where this browser keeps nothing, and says why', () => {
  const words = 'Keep in this browser: it keeps nothing right now'
  expect(box(false)).toEqual({ words, isChecked: false, isDisabled: true })
})
