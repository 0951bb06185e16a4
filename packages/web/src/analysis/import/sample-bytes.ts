const headSize = 1_000_000
const pieceSize = 64_000
const pieceCount = 12

/** The beginning of a file and pieces from all over it: a large one is looked at, not read. */
export function sampleBytes(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length <= headSize + pieceSize * pieceCount) return [bytes]
  const rest = bytes.length - headSize - pieceSize
  const starts = Array.from(
    { length: pieceCount },
    (_, index) => headSize + Math.floor((rest * index) / (pieceCount - 1)),
  )
  // Even, so that letters of two bytes stay whole.
  return [bytes.subarray(0, headSize), ...starts.map((start) => bytes.subarray(start & ~1, (start & ~1) + pieceSize))]
}
