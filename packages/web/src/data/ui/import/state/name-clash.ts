import { freeName, otherThan } from '../../../import/plan/table-name.ts'

export interface NameClash {
  /** The table that is there. */
  readonly taken: string
  /** What the new one would be called beside it. */
  readonly free: string
  readonly replaces: boolean
}

/** A new table that has the name of one that is there, or got another only because of it: a person decides. */
export function nameClash(name: string, found: string, names: readonly string[]): NameClash | null {
  const find = (wanted: string) => names.find((taken) => taken.toLowerCase() === wanted.toLowerCase())
  const taken = find(name)
  if (taken !== undefined) return { taken, free: freeName(name, found, names), replaces: true }
  const base = find(found)
  return base === undefined || name !== otherThan(found, names) ? null : { taken: base, free: name, replaces: false }
}
