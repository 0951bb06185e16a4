import { visibleText } from '@quarterdeck/protocol'
import { countLabel } from '../../../domain/count-label.ts'
import type { PlannedTable } from '../../../domain/import-plan.ts'
import { Checkbox } from '../../controls/checkbox.tsx'
import { QuietButton } from '../../controls/quiet-button.tsx'

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
          <li key={part ?? name} className="row" data-shown={index === shown}>
            <Checkbox
              className="row grow"
              checked={isChosen}
              onChange={(isWanted) => {
                onChoose(index, isWanted)
                if (isWanted) onShow(index)
              }}
            >
              <span className="ellipsis">{visibleText(part ?? name)}</span>
              {rowCount !== null && <span className="muted num">{countLabel(rowCount, 'row')}</span>}
            </Checkbox>
            <QuietButton
              aria-pressed={index === shown}
              aria-label={`${index === shown ? 'Shown' : 'Show'}: ${visibleText(part ?? name)}`}
              onClick={() => onShow(index)}
            >
              {index === shown ? 'Shown' : 'Show'}
            </QuietButton>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
