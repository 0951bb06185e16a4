import { expect, it } from 'vitest'
import { detectFormat } from './detect-format.ts'

const bytes = (text: string) => Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))

it.each([
  ['PAR1....', 'x.csv', 'parquet'],
  ['ARROW1\0\0', 'x', 'arrow'],
  ['\xff\xff\xff\xff\x20\x01\0\0....', 'x', 'arrow'],
  ['SQLite format 3\0', 'x.txt', 'sqlite'],
  ['PK\x03\x04', 'x.zip', 'excel'],
  ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'x.xls', 'excel'],
  ['[1,2]', 'x', 'json'],
  ['\xef\xbb\xbf [1,2]', 'x.txt', 'json'],
  ['{"a":1}\n{"a":2}\n', 'x', 'ndjson'],
  ['{\n "a":1}', 'x', 'json'],
  ['[1,2]\n[3,4]', 'x.jsonl', 'ndjson'],
  ['[id],n\n1,2', 'x.csv', 'csv'],
  ['a;b', 'x.txt', 'csv'],
  ['\xff\xfea\0;\0b\0', 'x.txt', 'csv'],
] as const)('detects %j from its content', (text, name, format) => {
  expect(detectFormat(bytes(text), name)).toBe(format)
})

it('names the format of a file that is not a table', () => {
  expect(() => detectFormat(bytes('%PDF-1.7'), 'x.csv')).toThrow('"x.csv" is not a table but a PDF.')
})
