import type { SourceFile } from '../import-plan.ts'

/** Read anew each time: a file that changed on disk since then fails here, with the browser's words. */
export const sourceOfFile = (file: File): SourceFile => ({
  name: file.name,
  size: file.size,
  bytes: async () => new Uint8Array(await file.arrayBuffer()),
})

export const sourceOfBytes = (name: string, bytes: Uint8Array): SourceFile => ({
  name,
  size: bytes.byteLength,
  bytes: async () => bytes,
})

/** What was pasted. */
export const sourceOfText = (name: string, text: string): SourceFile =>
  sourceOfBytes(name, new TextEncoder().encode(text))
