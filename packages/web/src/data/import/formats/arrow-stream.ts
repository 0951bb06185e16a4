// Reads both Arrow formats. A file is a stream between two marks, followed by a footer that a sequential reader does
// not need. https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
import { streamOfFile } from '../../engine/arrow/ipc.ts'
import { ImportError } from '../source/import-error.ts'
import { joinBytes } from '../source/text-encoding.ts'

const endMark = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0)

export function readArrow(bytes: Uint8Array, file: string) {
  /** The content as a stream. */
  const stream = isFile(bytes) ? withoutContents(bytes, file) : bytes
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength)
  let at = 0
  let headEnd: number | null = null
  let rowCount = 0
  while (at + 8 <= stream.length) {
    // Before version 0.15 messages had no continuation marker.
    const start = view.getUint32(at, true) === 0xffffffff ? at + 8 : at + 4
    const length = view.getInt32(start - 4, true)
    if (length === 0) break
    const message = length < 0 || start + length > stream.length ? null : readMessage(view, start)
    const end = message === null ? Number.POSITIVE_INFINITY : start + length + message.bodyLength
    if (message === null || end > stream.length) throw broken(file, at)
    if (message.kind === recordBatch) {
      if (message.isPacked) throw packed(file)
      rowCount += message.rows
      headEnd ??= end
    }
    at = end
  }
  if (at === 0) throw broken(file, 0)
  /** The stream up to its first record batch, for a preview. */
  const head = headEnd === null ? stream : joinBytes([stream.subarray(0, headEnd), endMark])
  return { stream, head, rowCount }
}

const isFile = (bytes: Uint8Array): boolean => new TextDecoder().decode(bytes.subarray(0, 6)) === 'ARROW1'

function withoutContents(bytes: Uint8Array, file: string): Uint8Array {
  const end = bytes.length - 10
  const size = end > 8 ? new DataView(bytes.buffer, bytes.byteOffset).getInt32(end, true) : -1
  if (size < 0 || end - size < 8 || !isFile(bytes.subarray(end + 4))) throw broken(file, Math.max(end, 0))
  const inside = bytes.subarray(8, end - size)
  const view = new DataView(inside.buffer, inside.byteOffset, inside.byteLength)
  // Some writers put the schema only into the footer.
  const isStream = inside.length > 8 && readMessage(view, 8)?.kind === schema
  return isStream ? joinBytes([inside, endMark]) : converted(bytes, file)
}

function converted(bytes: Uint8Array, file: string): Uint8Array {
  try {
    return streamOfFile(bytes)
  } catch (error) {
    throw new ImportError('unreadable', `"${file}" cannot be read as an Arrow file: ${String(error)}`)
  }
}

const broken = (file: string, offset: number): ImportError =>
  new ImportError('unreadable', `"${file}" is a broken Arrow file: the message at byte ${offset} is incomplete.`)

const packed = (file: string): ImportError =>
  new ImportError(
    'unsupported',
    `"${file}" is a compressed Arrow file (Feather). Save it without compression, or as Parquet.`,
  )

const schema = 1
const recordBatch = 3

interface Message {
  readonly kind: number
  readonly bodyLength: number
  readonly rows: number
  readonly isPacked: boolean
}

/** The fields of the message's flatbuffer that give its length and row count. */
function readMessage(view: DataView, start: number): Message | null {
  try {
    const table = start + view.getUint32(start, true)
    const kindAt = field(view, table, 1)
    const headerAt = field(view, table, 2)
    const bodyAt = field(view, table, 3)
    const kind = kindAt === null ? 0 : view.getUint8(kindAt)
    const bodyLength = bodyAt === null ? 0 : Number(view.getBigInt64(bodyAt, true))
    // It would point backwards and loop forever.
    if (bodyLength < 0) return null
    const header = headerAt === null || kind !== recordBatch ? null : headerAt + view.getUint32(headerAt, true)
    const rowsAt = header === null ? null : field(view, header, 0)
    const rows = rowsAt === null ? 0 : Number(view.getBigInt64(rowsAt, true))
    return { kind, bodyLength, rows, isPacked: header !== null && field(view, header, 3) !== null }
  } catch (error) {
    // Offsets that point outside of the file: a broken message.
    if (error instanceof RangeError) return null
    throw error
  }
}

function field(view: DataView, table: number, index: number): number | null {
  const fields = table - view.getInt32(table, true)
  const entry = 4 + index * 2
  const offset = entry < view.getUint16(fields, true) ? view.getUint16(fields + entry, true) : 0
  return offset === 0 ? null : table + offset
}
