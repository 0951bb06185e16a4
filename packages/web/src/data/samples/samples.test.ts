import { expect, it } from 'vitest'
import { planCsv } from '../import/csv/plan-csv.ts'
import { samples } from './samples.ts'

const files = samples.flatMap((sample) => sample.files)
const read = async (name: string) => {
  const bytes = await files.find((file) => file.name === name)?.bytes()
  return planCsv(name, [bytes ?? new Uint8Array()])
}

it('is deterministic, has the stated size, and has no ragged row', async () => {
  for (const file of files) {
    const bytes = await file.bytes()
    expect(Buffer.compare(await file.bytes(), bytes)).toBe(0)
    expect([file.name, file.size]).toEqual([file.name, bytes.length])
    expect(planCsv(file.name, [bytes]).warnings).toEqual([])
  }
})

it('has columns of every type', async () => {
  const typesOf = async (name: string) => (await read(name)).columns.map(({ type }) => type).join(' ')
  expect(await typesOf('deliveries.csv')).toBe('BIGINT VARCHAR VARCHAR TIMESTAMP TIMESTAMP DOUBLE DOUBLE VARCHAR')
  expect(await typesOf('depots.csv')).toBe('VARCHAR VARCHAR VARCHAR BIGINT')
  expect(await typesOf('energy.csv')).toBe('TIMESTAMP DOUBLE DOUBLE DOUBLE BOOLEAN')
  expect(await typesOf('orders.csv')).toBe(
    'BIGINT DATE VARCHAR VARCHAR VARCHAR VARCHAR BIGINT DOUBLE DOUBLE BOOLEAN BIGINT',
  )
})

it('contains its pattern: the north is late in September, with one carrier', async () => {
  const [deliveries] = files
  const rows = new TextDecoder()
    .decode(await deliveries?.bytes())
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  const lateShare = (carrier: string) => {
    const asked = rows.filter(
      ([, depot = '', by, promised = '', delivered]) =>
        ['D01', 'D02', 'D03'].includes(depot) && by === carrier && promised.startsWith('2026-09') && delivered !== '',
    )
    return asked.filter(([, , , promised = '', delivered = '']) => delivered > promised).length / asked.length
  }
  expect(lateShare('Hansa Cargo')).toBe(1)
  expect(lateShare('Bluebird')).toBeLessThan(0.5)
})

it('proposes a lock for customer_email, and for no other column', async () => {
  const locked = async (name: string) =>
    (await read(name)).columns.flatMap((column) => (column.isLocked === true ? [column.name] : []))
  expect(await Promise.all(files.map(({ name }) => locked(name)))).toEqual(
    files.map(({ name }) => (name === 'deliveries.csv' ? ['customer_email'] : [])),
  )
})
