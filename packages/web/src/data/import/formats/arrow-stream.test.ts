import { expect, it } from 'vitest'
import { toIpc } from '../../engine/arrow/ipc.ts'
import { readArrow } from './arrow-stream.ts'

/** The position of the body length in the second message (the rows): the fourth field of its flatbuffer. */
function lengthPosition(view: DataView): { readonly start: number; readonly at: number; readonly size: number } {
  const start = 8 + view.getInt32(4, true)
  const table = start + 8 + view.getUint32(start + 8, true)
  const fields = table - view.getInt32(table, true)
  return { start, at: table + view.getUint16(fields + 10, true), size: 8 + view.getInt32(start + 4, true) }
}

it('refuses a message that ends before it starts', () => {
  const bytes = toIpc([{ name: 'n', type: 'BIGINT', values: [1, 2, 3] }]).slice()
  expect(readArrow(bytes, 'n.arrows').rowCount).toBe(3)
  const view = new DataView(bytes.buffer)
  const { start, at, size } = lengthPosition(view)
  view.setBigInt64(at, BigInt(-size), true)
  expect(() => readArrow(bytes, 'n.arrows')).toThrow(`the message at byte ${start} is incomplete`)
})
