import { formatCount, visibleText } from '@quarterdeck/protocol'
import { Button } from '../../../components/controls/button.tsx'
import { Dialog } from '../../../components/controls/dialog.tsx'
import { countLabel } from '../../domain/count-label.ts'
import type { ImportedTable } from '../../domain/imported-table.ts'
import type { Rejected } from '../../domain/query-engine.ts'

interface RejectedDialogProps {
  readonly table: ImportedTable
  readonly onAgain: () => void
  readonly onClose: () => void
}

/** Lists the rows that were not added, with their line numbers, so that no row is dropped silently. */
export function RejectedDialog({ table, onAgain, onClose }: RejectedDialogProps) {
  const { rejected, rejectedCount, source } = table
  // Changing types helps only if a value does not fit its column.
  const isOfTypes = rejected.some(({ column }) => column !== null)
  const advice = isOfTypes ? 'A text column accepts every value.' : rejectedAdvice(rejected)
  const again = (
    <Button key="again" variant={[isOfTypes ? 'primary' : 'quiet']} onClick={onAgain}>
      {isOfTypes ? 'Change types and read again' : 'Read the file again'}
    </Button>
  )
  const leave = (
    <Button key="leave" variant={[isOfTypes ? 'quiet' : 'primary']} onClick={onClose}>
      {rejectedCount === 1 ? 'Leave it out' : 'Leave them out'}
    </Button>
  )
  return (
    <Dialog
      title={`${countLabel(rejectedCount, 'row')} of ${source.file} rejected`}
      onClose={onClose}
      foot={isOfTypes ? [again, leave] : [leave, again]}
      cancel={null}
    >
      <p>
        The other {countLabel(table.rowCount, 'row is', 'rows are')} in the table {table.name}. {advice}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable without a pointer */}
      <section className="rejected scroll" aria-label="Rejected rows" tabIndex={0}>
        <table className="table">
          <thead>
            <tr>
              <th className="r">Line</th>
              <th>Column</th>
              <th>Why</th>
              <th>The line</th>
            </tr>
          </thead>
          <tbody>
            {rejected.map(({ line, column, problem, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one line may be rejected for two reasons
              <tr key={index}>
                <td className="r num">{line}</td>
                <td>{column === null ? <NoColumn /> : visibleText(column)}</td>
                <td>{visibleText(problem)}</td>
                <td>
                  <code>{visibleText(text.slice(0, 300))}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rejectedCount > rejected.length && (
        <p className="muted num">
          Showing the first {formatCount(rejected.length)} of {formatCount(rejectedCount)} rows.
        </p>
      )}
    </Dialog>
  )
}

function NoColumn() {
  return (
    <>
      <span className="muted" aria-hidden="true">
        –
      </span>
      <span className="visually-hidden">no column</span>
    </>
  )
}

function rejectedAdvice(rejected: readonly Rejected[]): string {
  const isOne = rejected.length === 1
  const isWidth = rejected.every(({ problem }) => /^\d+ columns instead of \d+$/.test(problem))
  const what = isOne ? 'This row has more or fewer values' : 'These rows have more or fewer values'
  const why = isWidth ? `${what} than the header` : 'Changing types does not help here'
  const it = isOne ? 'it' : 'them'
  return `${why}. Fix ${it} in the file, or leave ${it} out.`
}
