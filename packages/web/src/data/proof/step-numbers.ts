// An index of the numbers in the rows of a step.
import type { Cell, Rows } from '../domain/cells.ts'
import type { Proof } from '../domain/proof.ts'
import { type NumberToken, numberOf } from './number-tokens.ts'

/** The rows of a step, and their total if known: fewer may be loaded. */
export type ProvingRows = Rows & { readonly rowCount?: number | null }

export type StepNumbers = ReturnType<typeof createStepNumbers>

interface Within {
  readonly row: number | null
  readonly column: string | null
}

interface Held {
  readonly value: number
  readonly row: number
  readonly column: number
}

export function createStepNumbers(step: number, { columns, rows, rowCount = null }: ProvingRows) {
  const held = rows
    .flatMap((cells, row) =>
      cells.flatMap((cell, column): Held[] => {
        const value = heldBy(cell)
        return value === null ? [] : [{ value, row, column }]
      }),
    )
    .sort((one, other) => one.value - other.value)

  const columnOf = (name: string): number =>
    columns.findIndex((column) => column.name.toLowerCase() === name.toLowerCase())

  return {
    /** The cells with this number, nearest first; `within` excludes other rows. */
    find(token: NumberToken, within: Within = { row: null, column: null }): Proof | null {
      const column = within.column === null ? null : columnOf(within.column)
      const isWithin = (one: Held) =>
        (within.row === null || one.row === within.row) && (column === null || one.column === column)
      const nearest = readingsOf(token)
        .flatMap((reading) =>
          between(held, reading)
            .filter(isWithin)
            .map((one) => ({ one, off: offOf(one, reading) })),
        )
        .sort(
          (one, other) => one.off - other.off || one.one.row - other.one.row || one.one.column - other.one.column,
        )[0]
      const isCount = rowCount !== null && rowCount === token.value && !token.isShare && column === null
      // An exact row count is nearer than a cell that only rounds to it.
      if (isCount && nearest?.off !== 0) return { step, rowCount }
      return nearest === undefined
        ? null
        : { step, row: nearest.one.row, column: columns[nearest.one.column]?.name ?? '' }
    },
  }
}

function heldBy(cell: Cell): number | null {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : null
  if (typeof cell === 'bigint') return Number(cell)
  return typeof cell === 'string' && /\d/.test(cell) ? (numberOf(cell)?.value ?? null) : null
}

interface Reading {
  readonly value: number
  readonly tolerance: number
  /** How unlikely it is that this cell was meant. */
  readonly penalty: number
}

/** 6.1 % may be 6.08 or 0.0608; a decrease by 3 may be 3 or −3. */
function readingsOf({ value, tolerance, isShare, isSigned, isLoss }: NumberToken): readonly Reading[] {
  const plain = { value, tolerance, penalty: 0 }
  const readings = isShare ? [plain, { value: value / 100, tolerance: tolerance / 100, penalty: 0.1 }] : [plain]
  if (isSigned || !isLoss) return readings
  return [...readings, ...readings.map((one) => ({ ...one, value: -one.value, penalty: one.penalty + 0.2 }))]
}

const slack = ({ value, tolerance }: Reading): number => tolerance * (1 + 1e-9) + Math.abs(value) * 1e-12

function between(held: readonly Held[], reading: Reading): readonly Held[] {
  const least = reading.value - slack(reading)
  const most = reading.value + slack(reading)
  let low = 0
  let high = held.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((held[middle]?.value ?? 0) < least) low = middle + 1
    else high = middle
  }
  const found: Held[] = []
  for (let at = low; at < held.length; at += 1) {
    const one = held[at]
    if (one === undefined || one.value > most) break
    found.push(one)
  }
  return found
}

const offOf = ({ value }: Held, reading: Reading): number =>
  Math.abs(value - reading.value) / (reading.tolerance || 1) + reading.penalty
