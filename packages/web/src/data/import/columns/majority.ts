// The type that most values of a column look like, before deciding whether to use it.
import type { ColumnReading } from '../../domain/import-plan.ts'
import type { TypeGuess } from './type-guess.ts'

/** From this share on, a column has the type of most of its values, and rows with misfits are rejected. */
export const mostShare = 0.9

export interface Most {
  readonly type: TypeGuess['type']
  readonly word: string
  readonly reading: ColumnReading
  /** The number of values that look like it, in any notation. */
  readonly count: number
  /** If there are two notations, a text that says so. */
  readonly ways?: string
  /** Whole numbers among words are usually codes, so text is the better guess. */
  readonly isTextBetter?: boolean
}

/** Decided already if it has a remark. */
export type MajorityType = Most | (TypeGuess & { readonly remark: string }) | null

export const quoted = (value = ''): string => `"${value.slice(0, 40)}"`

export const textBecause = (reason: string) =>
  ({ type: 'VARCHAR', remark: `stays text: ${reason}` }) as const satisfies TypeGuess

export const twoWays = (noun: string, [one, other]: readonly [string, string]): string =>
  `its ${noun} have two notations (${quoted(one)} and ${quoted(other)})`
