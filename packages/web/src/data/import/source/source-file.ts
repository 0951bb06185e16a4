import type { ImportSource } from '../../domain/import-plan.ts'

/** Reads the file each time. If it changed on disk, this fails with the browser's error. */
export const sourceOfFile = (file: File): ImportSource => ({
  name: file.name,
  size: file.size,
  bytes: async () => new Uint8Array(await file.arrayBuffer()),
  async parts(ranges) {
    // One read for all ranges.
    const joined = await new Blob(ranges.map(({ from, to }) => file.slice(from, to))).arrayBuffer()
    let at = 0
    return ranges.map(({ from, to }) => {
      const start = at
      at += to - from
      return new Uint8Array(joined.slice(start, at))
    })
  },
})

export const sourceOfBytes = (name: string, bytes: Uint8Array): ImportSource => ({
  name,
  size: bytes.byteLength,
  bytes: async () => bytes,
  parts: async (ranges) => ranges.map(({ from, to }) => bytes.slice(from, to)),
})

/** For pasted text. */
export const sourceOfText = (name: string, text: string): ImportSource =>
  sourceOfBytes(name, new TextEncoder().encode(text))
