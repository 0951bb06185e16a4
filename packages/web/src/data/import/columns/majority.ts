// What most values of a column look like, before it is decided whether the column is read as that.
import type { ColumnReading } from '../../domain/import-plan.ts'
import type { TypeGuess } from './type-guess.ts'

/** From here on a column has the type of most of its values, and the rows of the others are rejected. */
export const mostShare = 0.9

export interface Most {
  readonly type: TypeGuess['type']
  readonly word: string
  readonly reading: ColumnReading
  /** How many look like it, in whatever way they are written. */
  readonly count: number
  /** Where they are written in two ways: that, in words. */
  readonly ways?: string
  /** Of whole numbers among words text is the better guess: codes look so. */
  readonly isTextBetter?: boolean
}

/** Decided already where it has a remark. */
export type MajorityType = Most | (TypeGuess & { readonly remark: string }) | null

export const quoted = (value = ''): string => `"${value.slice(0, 40)}"`

export const textBecause = (reason: string) =>
  ({ type: 'VARCHAR', remark: `stays text: ${reason}` }) as const satisfies TypeGuess

export const twoWays = (noun: string, [one, other]: readonly [string, string]): string =>
  `its ${noun} are written in two ways (${quoted(one)} and ${quoted(other)})`
