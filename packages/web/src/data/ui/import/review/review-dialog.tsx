import { visibleText } from '@quarterdeck/protocol'
import { useId, useRef } from 'react'
import { Dialog } from '../../../../components/controls/dialog.tsx'
import { Select } from '../../../../components/controls/select.tsx'
import { countLabel } from '../../../domain/count-label.ts'
import type { ImportPlan, PlannedTable } from '../../../domain/import-plan.ts'
import { Checkbox } from '../../controls/checkbox.tsx'
import { InfoList } from '../../controls/info-list.tsx'
import { QuietButton } from '../../controls/small-button.tsx'
import { delimiterLabels, encodingLabels, factsOf } from '../state/import-labels.ts'
import { foundName } from '../state/plan-edits.ts'
import { ReviewFoot } from './review-foot.tsx'
import { ReviewTable } from './review-table.tsx'
import { type ReviewedFile, useReview } from './use-review.ts'

interface ReviewDialogProps extends ReviewedFile {
  /** The tables that the file is read again for. */
  readonly replaces: readonly string[]
  /** The number of further files in the queue. */
  readonly waiting: number
  /** Adds this file and all queued ones as detected. */
  readonly onAddAll: (plan: ImportPlan, options: { readonly isKept: boolean }) => void
  readonly onCancel: () => void
}

/** The detected content of a file before it becomes tables. Enter accepts a file without problems. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { names, replaces, waiting, canStore, onAdd, onAddAll, onCancel } = props
  const id = useId()
  const add = useRef<HTMLButtonElement>(null)
  const review = useReview(props, add)
  const { plan, check, shown, table, isReading, isKept } = review

  return (
    <Dialog
      title={replaces.length > 0 ? `Read ${plan.file} again` : `Add ${plan.file}`}
      onClose={onCancel}
      cancel={null}
      foot={
        <ReviewFoot
          {...{ review, add, waiting, canStore }}
          form={id}
          onAddAnyway={() => onAdd(plan, { isKept })}
          onAddAll={() => onAddAll(plan, { isKept })}
          onCancel={onCancel}
        />
      }
    >
      <form id={id} className="review" onSubmit={review.submit} aria-busy={isReading}>
        <ReviewNotes plan={plan} waiting={waiting} />
        <ReviewFormat plan={plan} onChange={(next) => void review.replan(next)} />
        {plan.tables.some(({ part }) => part !== null) && (
          <ReviewParts tables={plan.tables} shown={shown} onShow={review.setShown} onChoose={review.choose} />
        )}
        {table !== undefined && (
          <ReviewTable
            // After reading again it is another table, even under the same name.
            key={`${review.readings} ${shown}`}
            {...{ table, names, replaces }}
            check={check?.tables[shown] ?? null}
            found={foundName(plan, table)}
            disabled={isReading}
            onChange={review.change}
          />
        )}
      </form>
    </Dialog>
  )
}

/** The format of the file, and warnings about it. */
function ReviewNotes({ plan, waiting }: { readonly plan: ImportPlan; readonly waiting: number }) {
  return (
    <>
      <p className="facts-row text-2">
        <span>{factsOf(plan)}</span>
        {waiting > 0 && (
          <span>
            {waiting} more {waiting === 1 ? 'file is queued' : 'files are queued'}
          </span>
        )}
      </p>
      <InfoList className="review-notes" items={plan.warnings} />
    </>
  )
}

interface ReviewPartsProps {
  readonly tables: readonly PlannedTable[]
  readonly shown: number
  readonly onShow: (index: number) => void
  readonly onChoose: (index: number, isChosen: boolean) => void
}

/** The sheets of a workbook or tables of a database, to select from. */
function ReviewParts({ tables, shown, onShow, onChoose }: ReviewPartsProps) {
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

interface ReviewFormatProps {
  readonly plan: ImportPlan
  /** Called with other options: names and types must be detected again. */
  readonly onChange: (plan: ImportPlan) => void
}

/** How the bytes are read; shows only options of this format. */
function ReviewFormat({ plan, onChange }: ReviewFormatProps) {
  const { encoding, delimiter, hasHeader } = plan
  if (encoding === null && delimiter === null && hasHeader === null) return null
  return (
    <div className="review-format">
      {encoding !== null && (
        <label className="stack">
          <span className="label">Encoding</span>
          <Select
            value={encoding}
            options={encodingLabels}
            onChange={(chosen) => onChange({ ...plan, encoding: chosen })}
          />
        </label>
      )}
      {delimiter !== null && (
        <label className="stack">
          <span className="label">Delimiter</span>
          <Select
            value={delimiter}
            options={{ ...delimiterLabels, [delimiter]: delimiterLabels[delimiter] ?? delimiter }}
            onChange={(chosen) => onChange({ ...plan, delimiter: chosen })}
          />
        </label>
      )}
      {hasHeader !== null && (
        <Checkbox
          className="row"
          checked={hasHeader}
          onChange={(isHeader) => onChange({ ...plan, hasHeader: isHeader })}
        >
          First row is a header
        </Checkbox>
      )}
    </div>
  )
}
