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
      {...{ plan, canStore: canKeep, names: [], replaces: [], waiting: 0 }}
      onReplan={async () => null}
      onCheck={async () => ({ isWhole: true, tables: [] })}
      onAdd={() => undefined}
      onAddAll={() => undefined}
      onCancel={() => undefined}
    />,
  )
  const [, input = '', words] = /(<input type="checkbox"[^>]*>)(Store[^<]*)<\/label>/.exec(page) ?? []
  return { words, isChecked: input.includes('checked'), isDisabled: input.includes('disabled') }
}

it('offers to store a file, selected by default', () => {
  const words = 'Store in this browser, so that it survives a reload'
  expect(box(true)).toEqual({ words, isChecked: true, isDisabled: false })
})

it('does not offer it without storage, and says why', () => {
  const words = 'Store in this browser: storage is not available right now'
  expect(box(false)).toEqual({ words, isChecked: false, isDisabled: true })
})
