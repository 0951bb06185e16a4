import { useStore } from '../../../../hooks/use-store.ts'
import type { ImportPlan } from '../../../domain/import-plan.ts'
import type { Imports } from '../state/imports.ts'
import { chosenTables, withFreeNames } from '../state/plan-edits.ts'
import { ReviewDialog } from './review-dialog.tsx'

interface ReviewQueueProps {
  readonly imports: Imports
  /** Names of existing tables. */
  readonly names: readonly string[]
  /** False without browser storage. */
  readonly canStore: boolean
}

/** Reviews the waiting files one at a time, in order. */
export function ReviewQueue({ imports, names, canStore }: ReviewQueueProps) {
  const all = useStore(imports)
  const [first, ...rest] = all.flatMap(({ id, state, replaces }) =>
    state.kind === 'review' ? [{ id, replaces, plan: state.plan }] : [],
  )
  if (first === undefined) return null
  const used = [...names, ...all.flatMap(({ state }) => (state.kind === 'working' ? state.makes : []))]
  return (
    <ReviewDialog
      key={first.id}
      plan={withFreeNames(first.plan, { taken: used, replaces: first.replaces })}
      names={used.filter((name) => !first.replaces.includes(name))}
      replaces={first.replaces}
      waiting={rest.length}
      canStore={canStore}
      onReplan={(plan) => imports.replan(first.id, plan)}
      onCheck={(plan, signal) => imports.check(first.id, plan, signal)}
      onAdd={(plan, options) => void imports.confirm(first.id, plan, { ...options, replaces: used })}
      onAddAll={(plan, options) => {
        const made = [...used, ...namesOf(plan)]
        void imports.confirm(first.id, plan, { ...options, replaces: used, isUnchecked: true })
        for (const one of rest) {
          const free = withFreeNames(one.plan, { taken: made, replaces: one.replaces })
          made.push(...namesOf(free))
          void imports.confirm(one.id, free, { ...options, replaces: one.replaces, isUnchecked: true })
        }
      }}
      onCancel={() => imports.dismiss(first.id)}
    />
  )
}

const namesOf = (plan: ImportPlan): readonly string[] => chosenTables(plan).map(({ name }) => name)
