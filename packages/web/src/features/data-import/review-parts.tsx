import { visibleText } from '@quarterdeck/protocol'
import { countWords } from '../../analysis/count-words.ts'
import type { PlannedTable } from '../../analysis/import-plan.ts'
import { Button } from '../../ui/button.tsx'

interface ReviewPartsProps {
  readonly tables: readonly PlannedTable[]
  readonly shown: number
  readonly onShow: (place: number) => void
  readonly onChoose: (place: number, isChosen: boolean) => void
}

/** The sheets of a workbook or the tables of a database: which of them are wanted. */
export function ReviewParts({ tables, shown, onShow, onChoose }: ReviewPartsProps) {
  return (
    <fieldset className="review-parts">
      <legend className="label">In this file</legend>
      <ul>
        {tables.map(({ part, name, isChosen, rowCount }, place) => (
          <li key={part ?? name} data-shown={place === shown}>
            <label className="row grow">
              <input
                type="checkbox"
                checked={isChosen}
                onChange={({ target }) => {
                  onChoose(place, target.checked)
                  if (target.checked) onShow(place)
                }}
              />
              <span className="cut">{visibleText(part ?? name)}</span>
              {rowCount !== null && <span className="muted num">{countWords(rowCount, 'row')}</span>}
            </label>
            <Button
              look={['s', 'quiet']}
              aria-pressed={place === shown}
              aria-label={`${place === shown ? 'Shown' : 'Show'}: ${visibleText(part ?? name)}`}
              onClick={() => onShow(place)}
            >
              {place === shown ? 'Shown' : 'Show'}
            </Button>
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
