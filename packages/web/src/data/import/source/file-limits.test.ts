import { expect, it } from 'vitest'
import { refuseTooLarge, refuseTooLong, sizeWarnings } from './file-limits.ts'

it('refuses a file that does not fit into memory, with numbers and advice', () => {
  expect(() => refuseTooLarge('big.csv', 900_000_000, 'csv')).not.toThrow()
  expect(() => refuseTooLarge('big.csv', 1_400_000_000, 'csv')).toThrow(
    '"big.csv" is 1.4 GB and would need about 3.5 GB of memory, but this page has 2.5 GB. Save fewer columns or rows, or save it as Parquet.',
  )
  expect(() => refuseTooLarge('big.xlsx', 200_000_000, 'excel')).toThrow('3.0 GB of memory')
})

it('refuses a view at its limit', () => {
  expect(() => refuseTooLong('v', 'a.db', 5_000_000)).toThrow('The view "v" of "a.db" has more than 5,000,000 rows')
  expect(() => refuseTooLong('v', 'a.db', 25)).toThrow('The view "v" of "a.db" has more than 500 MB')
})

it('warns about large files and many rows', () => {
  expect(sizeWarnings(1000, 10)).toEqual([])
  expect(sizeWarnings(250_000_000, null)).toEqual([expect.stringContaining('250 MB')])
  expect(sizeWarnings(1000, 6_000_000)).toEqual([expect.stringContaining('6,000,000 rows')])
})
