import './charts.css'
import { formatCount } from '@quarterdeck/protocol'
import { SlidersHorizontal } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { chartDrawing, type Drawing } from '../../charts/chart-drawing.ts'
import { drawnFacts } from '../../charts/drawn-facts.ts'
import { numberLabel } from '../../charts/number-label.ts'
import { chartSummary, chartTitle } from '../../charts/spec/chart-summary.ts'
import type { ChartChoice } from '../../domain/analysis.ts'
import { type Cell, cellText, type Rows } from '../../domain/cells.ts'
import { QuietButton } from '../controls/quiet-button.tsx'
import { RowsGrid } from '../grid/rows-grid.tsx'
import { ChartEditor } from './chart-editor.tsx'
import { ChartMenu } from './chart-menu.tsx'
import { usePicture } from './use-picture.ts'

interface ChartFrameProps {
  readonly choice: ChartChoice
  /** The chart of the answer. */
  readonly original: ChartChoice
  readonly rows: Rows
  /** The number of rows of the step; `null` if not counted. */
  readonly totalRows: number | null
  readonly onChange: (choice: ChartChoice) => void
}

export function ChartFrame({ choice, original, rows, totalRows, onChange }: ChartFrameProps) {
  const id = useId()
  const [view, setView] = useState<'chart' | 'table'>('chart')
  const [isEditing, setEditing] = useState(false)
  const drawing = useMemo(() => chartDrawing(choice, rows, totalRows), [choice, rows, totalRows])
  const title = chartTitle(choice, drawing)
  const hasPicture = drawing.kind !== 'table'
  return (
    <figure className="chart" aria-labelledby={id}>
      <div className="row chart-head">
        <h3 className="grow" id={id}>
          <bdi>{title}</bdi>
        </h3>
        {hasPicture && (
          <fieldset className="seg" aria-label="Shown as">
            {(['chart', 'table'] as const).map((name) => (
              <button
                type="button"
                key={name}
                aria-current={view === name || undefined}
                aria-pressed={view === name}
                onClick={() => setView(name)}
              >
                {name === 'chart' ? 'Chart' : 'Table'}
              </button>
            ))}
          </fieldset>
        )}
        <QuietButton aria-expanded={isEditing} onClick={() => setEditing(!isEditing)}>
          <SlidersHorizontal className="icon s" aria-hidden="true" />
          Edit
        </QuietButton>
        <ChartMenu drawing={drawing} title={title} />
      </div>
      {isEditing && (
        <ChartEditor {...{ choice, original, onChange }} columns={rows.columns} onClose={() => setEditing(false)} />
      )}
      {drawing.problem !== null && <p className="chart-note">{drawing.problem}</p>}
      {view === 'chart' && drawing.kind === 'marks' && (
        <ChartPicture drawing={drawing} summary={chartSummary(title, drawing)} />
      )}
      {view === 'chart' && drawing.kind === 'figure' && <Figure drawing={drawing} />}
      {(view === 'table' || drawing.kind === 'table') && <Twin drawing={drawing} title={title} />}
      <figcaption className="chart-foot caption num">
        {drawnFacts(drawing).map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
      </figcaption>
    </figure>
  )
}

/** A single number needs no axis. */
function Figure({ drawing }: { readonly drawing: Drawing }) {
  const mark = drawing.marks[0]
  const value: Cell = mark === undefined ? (drawing.table.rows[0]?.[0] ?? null) : mark.y
  return (
    <p className="chart-figure">
      <b className="num">{figureLabel(value)}</b>
      <span className="muted">{mark === undefined || drawing.columns.x === null ? drawing.yTitle : mark.name}</span>
    </p>
  )
}

function figureLabel(value: Cell): string {
  if (value === null) return 'empty'
  if (typeof value === 'bigint') return formatCount(value)
  return typeof value === 'number' ? numberLabel(value) : cellText(value)
}

function Twin({ drawing, title }: { readonly drawing: Drawing; readonly title: string }) {
  if (drawing.table.rows.length === 0) return <p className="chart-note">No rows: the step returned nothing.</p>
  const total = drawing.kind === 'table' ? drawing.rows.totalRows : drawing.table.rows.length
  return <RowsGrid rows={drawing.table} total={total} label={`Numbers of: ${title}`} />
}

/** The chart. Its label describes it in text, and the table view has every number. */
function ChartPicture({ drawing, summary }: { readonly drawing: Drawing; readonly summary: string }) {
  const { box, status } = usePicture(drawing)
  return (
    <>
      <div className="chart-picture" ref={box} role="img" aria-label={summary} data-status={status} />
      {status === 'failed' && <p className="chart-note">The chart could not be drawn. Its numbers are in the table.</p>}
    </>
  )
}
