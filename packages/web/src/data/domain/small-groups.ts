import { countLabel } from './count-label.ts'
import { commonCount } from './disclosure.ts'

/** Why a grouped result is not a summary. */
export interface SmallGroups {
  readonly groups: number
  /** Source rows of all groups together. */
  readonly rows: number
  /** Groups with fewer rows than a summary needs; `null` if unknown. */
  readonly below: number | null
  /** Rows of the smallest group; `null` if unknown. */
  readonly smallest: number | null
}

export function smallGroupsLabel({ groups, rows, below, smallest }: SmallGroups): string {
  if (groups === 1)
    return `This result covers only ${countLabel(rows, 'row')}. A summary needs at least ${commonCount}.`
  const counts =
    below === null || below === 0 || smallest === null
      ? `${countLabel(groups, 'group')} with ${countLabel(rows, 'row')} in total.`
      : `${countLabel(below, 'group has', 'groups have')} fewer than ${commonCount} rows; the smallest has ${smallest}.`
  return `The groups are too small for a summary: ${counts}`
}
