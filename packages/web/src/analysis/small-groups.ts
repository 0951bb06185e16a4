import { countWords } from './count-words.ts'
import { commonCount } from './disclosure.ts'

/** Why the rows of a grouping are not a summary. */
export interface SmallGroups {
  readonly groups: number
  /** The rows that all groups together were made of. */
  readonly rows: number
  /** Groups with fewer rows than a summary needs, and the rows of the smallest; `null` where they could not be counted. */
  readonly below: number | null
  readonly smallest: number | null
}

export function smallGroupsWords({ groups, rows, below, smallest }: SmallGroups): string {
  if (groups === 1) return `${madeOf(rows)} A summary needs at least ${commonCount}.`
  const counts =
    below === null || below === 0 || smallest === null
      ? `${countWords(groups, 'group')} of ${countWords(rows, 'row')} in all.`
      : `${countWords(below, 'group has', 'groups have')} fewer than ${commonCount} rows; the smallest has ${smallest}.`
  return `The groups are too small for a summary: ${counts}`
}

const madeOf = (rows: number): string => `This is made of only ${countWords(rows, 'row')}.`
