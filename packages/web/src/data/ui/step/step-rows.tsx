import { ErrorCard } from '../../../components/status/error-card.tsx'
import { Loading } from '../../../components/status/loading.tsx'
import type { AnalysisStep } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import type { CellAddress } from '../../domain/proof.ts'
import { RowsGrid } from '../grid/rows-grid.tsx'

export type StepRowsState =
  | { readonly status: 'loading' | 'none' }
  | { readonly status: 'there'; readonly rows: Rows; readonly total: number | null }
  | { readonly status: 'failed'; readonly message: string }

interface StepRowsProps {
  readonly step: AnalysisStep
  readonly rows: StepRowsState
  readonly outlined: CellAddress | null
}

export function StepRows({ step, rows, outlined }: StepRowsProps) {
  switch (rows.status) {
    case 'none':
      return null
    case 'loading':
      return <Loading what="Loading rows" />
    case 'failed':
      return (
        <div className="sec">
          <ErrorCard
            what="The rows could not be read"
            detail={rows.message}
            saved="the step. Run it again to get its rows."
          />
        </div>
      )
    case 'there':
      return <RowsGrid rows={rows.rows} total={rows.total} outlined={outlined} label={`Rows of step ${step.n}`} />
  }
}
