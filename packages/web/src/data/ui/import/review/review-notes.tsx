import { Info } from 'lucide-react'
import type { ImportPlan } from '../../../domain/import-plan.ts'
import { factsOf } from '../state/import-labels.ts'

/** The format of the file, and warnings about it. */
export function ReviewNotes({ plan, waiting }: { readonly plan: ImportPlan; readonly waiting: number }) {
  return (
    <>
      <p className="review-facts">
        <span>{factsOf(plan)}</span>
        {waiting > 0 && (
          <span>
            {waiting} more {waiting === 1 ? 'file is queued' : 'files are queued'}
          </span>
        )}
      </p>
      {plan.warnings.length > 0 && (
        <ul className="review-notes">
          {plan.warnings.map((label) => (
            <li key={label}>
              <Info className="icon s" aria-hidden="true" />
              {label}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
