import { visibleText } from '@quarterdeck/protocol'
import { countWords } from '../../analysis/count-words.ts'
import type { KeptTable } from '../../analysis/kept-table.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface RejectedDialogProps {
  readonly table: KeptTable
  readonly onAgain: () => void
  readonly onClose: () => void
}

/** The rows that are not in a table, with the lines they stand on: nothing is dropped in silence. */
export function RejectedDialog({ table, onAgain, onClose }: RejectedDialogProps) {
  const { rejected, rejectedCount, source } = table
  return (
    <Dialog
      title={`${countWords(rejectedCount, 'row')} of ${source.file} rejected`}
      onClose={onClose}
      foot={
        <>
          <Button look={['ink']} onClick={onAgain}>
            Change types and read it again
          </Button>
          <Button look={['quiet']} onClick={onClose}>
            Leave them out
          </Button>
        </>
      }
    >
      <p>
        The other {countWords(table.rowCount, 'row')} are in the table {table.name}. A column read as text takes every
        value.
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
            {rejected.map(({ line, column, problem, text }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one line may be rejected for two reasons
              <tr key={place}>
                <td className="r num">{line}</td>
                <td>{column === null ? '' : visibleText(column)}</td>
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
          The first {rejected.length.toLocaleString('en-US')} of {rejectedCount.toLocaleString('en-US')} are listed.
        </p>
      )}
    </Dialog>
  )
}
