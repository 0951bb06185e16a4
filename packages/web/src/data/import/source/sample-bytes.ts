import type { ByteRange } from '../../domain/import-plan.ts'

const headSize = 1_000_000
const pieceSize = 64_000
const pieceCount = 12

/** The start of a large file and samples from all over it. */
export function sampleRanges(size: number): readonly ByteRange[] {
  if (size <= headSize + pieceSize * pieceCount) return [{ from: 0, to: size }]
  const rest = size - headSize - pieceSize
  // Even, so that two-byte characters stay whole.
  const starts = Array.from(
    { length: pieceCount },
    (_, at) => (headSize + Math.floor((rest * at) / (pieceCount - 1))) & ~1,
  )
  return [{ from: 0, to: headSize }, ...starts.map((from) => ({ from, to: from + pieceSize }))]
}

export const sampleBytes = (bytes: Uint8Array): readonly Uint8Array[] =>
  sampleRanges(bytes.length).map(({ from, to }) => bytes.subarray(from, to))
