import { freeName } from './plan-edits.ts'

export interface NameClash {
  /** The table that is there. */
  readonly taken: string
  /** What the new one would be called beside it. */
  readonly free: string
  readonly replaces: boolean
}

/** A new table that has, or was renamed away from, the name of one that is there: a person decides which it shall be. */
export function nameClash(name: string, names: readonly string[]): NameClash | null {
  const find = (wanted: string) => names.find((taken) => taken.toLowerCase() === wanted.toLowerCase())
  const taken = find(name)
  if (taken !== undefined) return { taken, free: freeName(name, names), replaces: true }
  const base = find(name.replace(/_\d+$/, ''))
  return base === undefined ? null : { taken: base, free: name, replaces: false }
}
