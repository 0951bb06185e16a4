import { type CellObject, CFB, utils, write } from '@e965/xlsx'
import { expect, it } from 'vitest'
import { moment, readExcel } from './read-excel.ts'

it.each([
  [46_000, false, '2025-12-09'],
  [46_000.5, false, '2025-12-09 12:00:00'],
  [45_658.123_456, false, '2025-01-01 02:57:46.598'],
  [1, false, '1900-01-01'],
  [59, false, '1900-02-28'],
  [61, false, '1900-03-01'],
  [0, true, '00:00:00'],
  [1, true, '1904-01-02'],
  [0.75, false, '18:00:00'],
  [2_958_465.5, false, '9999-12-31 12:00:00'],
  [2_958_466, false, null],
  [123_456_789, false, null],
  [-1, false, null],
])('reads serial day %d (from 1904: %s) as %s', (serial, is1904, text) => {
  expect(moment(serial, is1904)).toBe(text)
})

const cells = (values: Readonly<Record<string, CellObject>>, ref: string): Uint8Array => {
  const book = utils.book_new()
  utils.book_append_sheet(book, { ...values, '!ref': ref }, 'sheet')
  return write(book, { type: 'buffer', bookType: 'xlsx' })
}
const text = (v: string): CellObject => ({ t: 's', v })
const day = (v: number): CellObject => ({ t: 'n', v, z: 'yyyy-mm-dd' })

it('keeps numbers with a date format that are not dates, and says so', async () => {
  const bytes = cells({ A1: text('at'), A2: day(123_456_789), A3: day(20_240_101), A4: day(46_000) }, 'A1:A4')
  const [sheet] = (await readExcel(bytes, 'dates.xlsx', null)).sheets
  expect(sheet?.table.columns).toEqual([{ sourceName: 'at', values: [123_456_789, 20_240_101, '2025-12-09'] }])
  expect(sheet?.warnings).toEqual(["sheet: cells with a date format outside of Excel's calendar (2) stay numbers."])
})

it('finds a table anywhere in the sheet, and reads only existing cells', async () => {
  const number = (v: number): CellObject => ({ t: 'n', v })
  const near = cells({ B40: text('n'), C40: text('m'), B41: number(1), C41: number(2) }, 'A1:C41')
  // Built by hand, because the library visits all cells in between.
  const zip = CFB.read(near, { type: 'buffer' })
  const sheet = CFB.find(zip, '/xl/worksheets/sheet1.xml')
  const stray = '<row r="1048576"><c r="XFD1048576"><v>3</v></c></row></sheetData>'
  const xml = Buffer.from(sheet.content).toString().replace('</sheetData>', stray).replace('A1:C41', 'A1:XFD1048576')
  Object.assign(sheet, { content: Buffer.from(xml), size: Buffer.byteLength(xml) })
  const bytes: Uint8Array = CFB.write(zip, { fileType: 'zip', type: 'buffer' })
  const { sheets, hasHeader } = await readExcel(bytes, 'far.xlsx', null)
  expect(hasHeader).toBe(true)
  const table = sheets[0]?.table
  expect(table?.columns).toEqual([
    { sourceName: 'n', values: [1, null] },
    { sourceName: 'm', values: [2, null] },
    { sourceName: '', values: [null, 3] },
  ])
  expect([table?.lineOf(0), table?.lineOf(1)]).toEqual([41, 1_048_576])
  expect(sheets[0]?.warnings).toEqual([])
})

it('refuses a sheet with too many columns', async () => {
  const wide = utils.aoa_to_sheet([Array.from({ length: 2001 }, (_, index) => `c${index}`)])
  const book = utils.book_new()
  utils.book_append_sheet(book, wide, 'wide')
  const bytes: Uint8Array = write(book, { type: 'buffer', bookType: 'xlsx' })
  await expect(readExcel(bytes, 'wide.xlsx', null)).rejects.toThrow('has more than 2,000 columns')
})

it('reports junk in an archive as not a workbook, not as password-protected', async () => {
  const junk = Uint8Array.from({ length: 200 }, (_, at) => (at < 4 ? ([0x50, 0x4b, 3, 4][at] ?? 0) : 255))
  await expect(readExcel(junk, 'x.xlsx', null)).rejects.toThrow('"x.xlsx" is not a workbook.')
})
