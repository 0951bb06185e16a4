import type { SourceFile } from '../../analysis/import-plan.ts'

export const sourceOfFile = (file: File): SourceFile => ({
  name: file.name,
  size: file.size,
  bytes: async () => new Uint8Array(await file.arrayBuffer()),
})

export function sourceOfText(name: string, text: string): SourceFile {
  const bytes = new TextEncoder().encode(text)
  return { name, size: bytes.length, bytes: async () => bytes }
}
