import { ImportError } from './import-error.ts'
import { joinBytes } from './text-encoding.ts'

/** Stops at the limit of the page, because a small file can unpack to any size. */
export async function unpackGzip(
  bytes: Uint8Array<ArrayBuffer>,
  file: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return joinBytes(pieces)
      size += value.length
      if (size > maxBytes) break
      pieces.push(value)
    }
  } catch {
    throw new ImportError(
      'unreadable',
      `"${file}" is a broken gzip file: unpacking failed after ${size} bytes of content.`,
    )
  }
  await reader.cancel()
  throw new ImportError(
    'too-large',
    `"${file}" unpacks to more than ${Math.round(maxBytes / 1e6)} MB. Split it, or save it as Parquet.`,
  )
}
