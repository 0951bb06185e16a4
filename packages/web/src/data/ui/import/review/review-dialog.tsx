import { useId, useRef } from 'react'
import { Dialog } from '../../../../components/controls/dialog.tsx'
import type { ImportPlan } from '../../../domain/import-plan.ts'
import { InfoList } from '../../controls/info-list.tsx'
import { factsOf } from '../state/import-labels.ts'
import { foundName } from '../state/plan-edits.ts'
import { ReviewFoot } from './review-foot.tsx'
import { ReviewFormat } from './review-format.tsx'
import { ReviewParts } from './review-parts.tsx'
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
