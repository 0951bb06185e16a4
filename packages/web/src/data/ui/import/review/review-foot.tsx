import type { Ref } from 'react'
import { Button } from '../../../../components/controls/button.tsx'
import { Problem } from '../../../../components/controls/problem.tsx'
import { rejectedRowsOf } from '../../../domain/import-plan.ts'
import { Checkbox } from '../../controls/checkbox.tsx'
import { chosenTables } from '../state/plan-edits.ts'
import { addAnywayLabel, rejectedWarning } from './review-labels.ts'
import type { Review } from './use-review.ts'

interface ReviewFootProps {
  readonly review: Review
  /** The submit button. */
  readonly add: Ref<HTMLButtonElement>
  /** The id of the form. */
  readonly form: string
  /** The number of further files in the queue. */
  readonly waiting: number
  /** False without browser storage. */
  readonly canStore: boolean
  /** Adds the file without rejected rows. */
  readonly onAddAnyway: () => void
  readonly onAddAll: () => void
  readonly onCancel: () => void
}

export function ReviewFoot({ review, ...props }: ReviewFootProps) {
  const { plan, check, problem, isReading, isKept, setWantsStored } = review
  const { add, form, waiting, canStore, onAddAnyway, onAddAll, onCancel } = props
  const count = chosenTables(plan).length
  const cannot = problem !== null || isReading
  const rejecting = check !== null && rejectedRowsOf(check) > 0 && problem === null && !isReading ? check : null
  return (
    <>
      <Problem text={rejecting === null ? null : rejectedWarning(rejecting)} />
      {/* Not a submit button, so that Enter cannot drop rows. */}
      {rejecting !== null ? (
        <Button key="anyway" variant={['danger']} onClick={onAddAnyway}>
          {addAnywayLabel(rejecting)}
        </Button>
      ) : (
        <button key="add" ref={add} className="btn primary" type="submit" form={form} disabled={cannot}>
          {count > 1 ? `Add ${count} tables` : 'Add table'}
          <kbd>
            <span aria-hidden="true">↵</span>
          </kbd>
        </button>
      )}
      {waiting > 0 && (
        <Button disabled={cannot} onClick={onAddAll}>
          Add all {waiting + 1} files
        </Button>
      )}
      <Button variant={['quiet']} onClick={onCancel}>
        {waiting > 0 ? 'Skip this file' : 'Cancel'}
      </Button>
      <Checkbox className="row end" checked={isKept} disabled={!canStore} onChange={setWantsStored}>
        {canStore
          ? 'Store in this browser, so that it survives a reload'
          : 'Store in this browser: storage is not available right now'}
      </Checkbox>
      <span role="status" className="text-2">
        {isReading ? 'Reading the file again…' : review.isAdding && 'Checking the values…'}
      </span>
      <Problem text={isReading ? null : problem} />
    </>
  )
}
