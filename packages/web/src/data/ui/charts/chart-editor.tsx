import type { ReactNode } from 'react'
import { Select } from '../../../components/controls/select.tsx'
import type { ChartChoice } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { SmallButton } from '../controls/small-button.tsx'
import { useFollowedDraft } from '../controls/use-followed-draft.ts'
import { ColumnField } from './column-field.tsx'
import { ColumnsField } from './columns-field.tsx'

interface ChartEditorProps {
  readonly choice: ChartChoice
  /** The chart of the answer. */
  readonly original: ChartChoice
  readonly columns: Rows['columns']
  readonly onChange: (choice: ChartChoice) => void
  readonly onClose: () => void
}

const types = { bar: 'Bars', line: 'Lines', pie: 'Pie', scatter: 'Points', table: 'Table' } as const
const aggregates = {
  none: 'Not combined',
  sum: 'Sum',
  mean: 'Mean',
  count: 'Count',
  min: 'Least',
  max: 'Most',
} as const
const orders = { none: 'As in the rows', x: 'By name', 'y-down': 'Largest first', 'y-up': 'Smallest first' } as const

/** Changes the chart, never its numbers. Uses no model. */
export function ChartEditor({ choice, original, columns, onChange, onClose }: ChartEditorProps) {
  const change = (part: Partial<ChartChoice>) => onChange({ ...choice, ...part })
  const isDrawn = choice.type !== 'table'
  const isOwn = JSON.stringify(choice) !== JSON.stringify(original)
  return (
    <form className="chart-editor" aria-label="Edit the chart" onSubmit={(event) => event.preventDefault()}>
      <Field label="Type">
        <Select value={choice.type} options={types} onChange={(type) => change({ type })} />
      </Field>
      {isDrawn && (
        <>
          <Field label="Across">
            <ColumnField columns={columns} value={choice.x} onChoose={(x) => change({ x })} />
          </Field>
          <Field label="Series">
            <ColumnField columns={columns} value={choice.series} onChoose={(series) => change({ series })} />
          </Field>
          <Field label="Values">
            <Select value={choice.aggregate} options={aggregates} onChange={(aggregate) => change({ aggregate })} />
          </Field>
          <Field label="Order">
            <Select value={choice.order} options={orders} onChange={(order) => change({ order })} />
          </Field>
          <Field label="At most">
            <input
              className="field"
              type="number"
              min={1}
              max={5000}
              placeholder="all"
              value={choice.limit ?? ''}
              onChange={({ target }) => change({ limit: limitOf(target.value) })}
            />
          </Field>
        </>
      )}
      <TitleField title={choice.title} onTitle={(title) => change({ title })} />
      {isDrawn && <ColumnsField columns={columns} chosen={choice.y} onChoose={(y) => change({ y })} />}
      <div className="actions">
        <SmallButton onClick={onClose}>Done</SmallButton>
        <QuietButton disabled={!isOwn} onClick={() => onChange(original)}>
          Reset to the answer
        </QuietButton>
      </div>
    </form>
  )
}

const limitOf = (text: string): number | null => {
  const limit = Math.floor(Number(text))
  return text === '' || !Number.isFinite(limit) || limit < 1 ? null : Math.min(5000, limit)
}

function Field({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is passed as a child
    <label>
      <span>{label}</span>
      {children}
    </label>
  )
}

interface TitleFieldProps extends Pick<ChartChoice, 'title'> {
  readonly onTitle: (title: string | null) => void
}

function TitleField({ title, onTitle }: TitleFieldProps) {
  const [text, setText] = useFollowedDraft(title ?? '')
  function commit(): void {
    const next = text.trim()
    setText(next)
    if (next !== (title ?? '')) onTitle(next === '' ? null : next)
  }
  return (
    <label className="wide">
      <span>Title</span>
      <input
        className="field"
        value={text}
        maxLength={120}
        placeholder="derived from the columns"
        onChange={({ target }) => setText(target.value)}
        onBlur={commit}
        onKeyDown={({ key }) => key === 'Enter' && commit()}
      />
    </label>
  )
}
