import { createHash, type UUID } from 'node:crypto'

/** The same UUID for the same name, always. */
export function hashUuid(name: string): UUID {
  const hex = createHash('sha256').update(name).digest('hex')
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
