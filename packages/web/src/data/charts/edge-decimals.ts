import type { Cell } from '../domain/cells.ts'

const [fewestBins, mostBins] = [4, 60]

/** Of numbers that step evenly, as the edges of bins do: how many decimals tell them apart. Others stay as they are. */
export function edgeDecimals(cells: readonly Cell[]): number | null {
  const values = [...new Set(cells.map(Number))].toSorted((one, other) => one - other)
  if (values.length < fewestBins || values.length > mostBins) return null
  // Two decimals are meant as they are: prices, shares.
  if (values.every((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6)) return null
  const gaps = values.slice(1).map((value, at) => value - (values[at] ?? 0))
  const step = Math.min(...gaps)
  // Bins nobody fell into are not there, so a gap may be several steps.
  const isEven = gaps.every((gap) => Math.abs(gap / step - Math.round(gap / step)) < 0.05)
  return isEven ? Math.min(20, Math.max(0, Math.ceil(-Math.log10(step) + 1))) : null
}
