import { visibleText } from '@quarterdeck/protocol'
import { Button } from '../../../../components/controls/button.tsx'
import { countLabel } from '../../../domain/count-label.ts'
import type { PlannedTable } from '../../../domain/import-plan.ts'

interface ReviewPartsProps {
  readonly tables: readonly PlannedTable[]
  readonly shown: number
  readonly onShow: (index: number) => void
  readonly onChoose: (index: number, isChosen: boolean) => void
}

/** The sheets of a workbook or tables of a database, to select from. */
export function ReviewParts({ tables, shown, onShow, onChoose }: ReviewPartsProps) {
  return (
    <fieldset className="review-parts">
      <legend className="label">In this file</legend>
      <ul>
        {tables.map(({ part, name, isChosen, rowCount }, index) => (
          <li key={part ?? name} data-shown={index === shown}>
            <label className="row grow">
              <input
                type="checkbox"
                checked={isChosen}
                onChange={({ target }) => {
                  onChoose(index, target.checked)
                  if (target.checked) onShow(index)
                }}
              />
              <span className="cut">{visibleText(part ?? name)}</span>
              {rowCount !== null && <span className="muted num">{countLabel(rowCount, 'row')}</span>}
            </label>
            <Button
              variant={['s', 'quiet']}
              aria-pressed={index === shown}
              aria-label={`${index === shown ? 'Shown' : 'Show'}: ${visibleText(part ?? name)}`}
              onClick={() => onShow(index)}
            >
              {index === shown ? 'Shown' : 'Show'}
            </Button>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
