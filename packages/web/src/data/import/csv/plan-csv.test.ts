import { describe, expect, it } from 'vitest'
import { sampleBytes } from '../source/sample-bytes.ts'
import { planCsv } from './plan-csv.ts'

const bytes = (text: string) => sampleBytes(new TextEncoder().encode(text))
const namesOf = (plan: ReturnType<typeof planCsv>) => plan.columns.map(({ name }) => name)
const typesOf = (plan: ReturnType<typeof planCsv>) => plan.columns.map(({ type }) => type)

describe('planCsv', () => {
  it('keeps names in any script, names unnamed columns and distinguishes duplicates', () => {
    const plan = planCsv('t.csv', bytes('Größe,价格,"a""b",x y,,X Y,"two\nlines"\n1,2,3,4,5,6,7\n'))
    expect(namesOf(plan)).toEqual(['Größe', '价格', 'a"b', 'x y', 'column_5', 'X Y_2', 'two lines'])
    expect(plan.columns.map(({ sourceName }) => sourceName)).toEqual([
      'Größe',
      '价格',
      'a"b',
      'x y',
      '',
      'X Y',
      'two\nlines',
    ])
    expect(plan.warnings).toEqual(['One column has no name in the file.', expect.stringContaining('X Y_2')])
  })

  it.each([
    ['a zero in the first line', [97, 44, 98, 0, 10, 49, 44, 50, 10]],
    ['random bytes', Array.from({ length: 3000 }, (_, at) => 1 + ((at * 97 + at * at * 31) % 255))],
  ])('refuses %s because it is not text', (_, content) => {
    expect(() => planCsv('x.csv', [Uint8Array.from(content)])).toThrow('"x.csv" is not a text file')
  })

  it.each([
    [';', 'a;b\n1,5;2\n2,5;3\n'],
    ['\t', 'a\tb\n1,5\t2\n'],
    ['|', 'a|b\n1|2\n'],
    [',', 'a,b\n"1;2;3",2\n"4;5;6",3\n'],
    [',', 'only\none\ncolumn\n'],
  ])('detects the delimiter %j', (delimiter, text) => {
    expect(planCsv('t.csv', bytes(text)).delimiter).toBe(delimiter)
  })

  it('detects whether the first line is a header', () => {
    expect(planCsv('t.csv', bytes('id,name\n1,a\n2,b\n')).hasHeader).toBe(true)
    expect(planCsv('t.csv', bytes('1,a\n2,b\n')).hasHeader).toBe(false)
    expect(planCsv('t.csv', bytes('name,city\nann,bonn\nbob,rome\n')).hasHeader).toBe(true)
    expect(planCsv('t.csv', bytes('name,city\n')).hasHeader).toBe(true)
    expect(namesOf(planCsv('t.csv', bytes('1,a\n2,b\n')))).toEqual(['column_1', 'column_2'])
  })

  it('reads every encoding, with and without a byte order mark', () => {
    const text = 'Straße,n\nKöln,1\nMünchen,2\n'
    const wide = new Uint8Array([...text].flatMap((letter) => [letter.charCodeAt(0) & 255, letter.charCodeAt(0) >> 8]))
    const swapped = wide.map((_, index) => wide[index ^ 1] ?? 0)
    const latin = Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)))
    const marked = (mark: number[], rest: Uint8Array) => Uint8Array.from([...mark, ...rest])
    const files = [
      [new TextEncoder().encode(text), 'utf-8'],
      [marked([0xef, 0xbb, 0xbf], new TextEncoder().encode(text)), 'utf-8'],
      [wide, 'utf-16le'],
      [marked([0xff, 0xfe], wide), 'utf-16le'],
      [swapped, 'utf-16be'],
      [marked([0xfe, 0xff], swapped), 'utf-16be'],
      [latin, 'windows-1252'],
    ] as const
    for (const [file, encoding] of files) {
      const plan = planCsv('t.csv', [file])
      expect(plan.encoding).toBe(encoding)
      expect(namesOf(plan)).toEqual(['Straße', 'n'])
      expect(plan.preview.rows[1]).toEqual(['München', '2'])
    }
  })

  it('samples all parts of a large file to detect types', () => {
    const row = `1,${'x'.repeat(90)}\n`
    const text = `n,t\n${row.repeat(40_000)}${`2.5,${'y'.repeat(90)}\n`.repeat(5000)}`
    const plan = planCsv('t.csv', bytes(text))
    expect(typesOf(plan)).toEqual(['DOUBLE', 'VARCHAR'])
    expect(plan.rowCount).toBeNull()
  })

  describe('with as many rows as are sampled', () => {
    const ones = (count: number): string => '1\n'.repeat(count)
    const planOf = (...samples: readonly string[]) =>
      planCsv(
        't.csv',
        samples.map((sample) => new TextEncoder().encode(sample)),
      )

    it.each([
      ['of a small file', (before: number) => [`n\n${ones(before)}2.5\n${ones(9)}`], 19_998],
      ['of a beginning', (before: number) => [`n\n${ones(before)}2.5\n${ones(9)}`, ones(9)], 9998],
      // The first line of a piece may be cut.
      ['of a piece', (before: number) => [`n\n${ones(9)}`, `1\n${ones(before)}2.5\n${ones(9)}`], 999],
    ])('detects types from the last %s, and not from the next', (_what, samples, before) => {
      expect(typesOf(planOf(...samples(before)))).toEqual(['DOUBLE'])
      expect(typesOf(planOf(...samples(before + 1)))).toEqual(['BIGINT'])
    })

    it('uses no row that may be cut, even at the limit', () => {
      expect(typesOf(planOf(`n\n${ones(9)}`, `1\n${ones(999)}2.`))).toEqual(['BIGINT'])
      expect(typesOf(planOf(`n\n${ones(9998)}2.`, ones(9)))).toEqual(['BIGINT'])
    })

    it('counts the sampled rows, and says when they are not all', () => {
      const days = '2026-01-31\n'.repeat(30)
      const odd = (looked: string) => `"day" is read as a date: 1 of ${looked} does not fit ("soon").`
      expect(planOf(`day\n${days}soon\n`).warnings).toEqual([odd('31 values')])
      // The last row of each piece may be cut.
      const some = planOf(`day\n${days}2026-01-3`, '6-01-31\nsoon\n2026-0')
      expect(some.warnings).toEqual([odd('the 31 values checked')])
      const long = planOf(`day\n${days.repeat(700)}`.replace('2026-01-31', 'soon'))
      expect(long.warnings).toEqual([odd('the 19,999 values checked')])
    })
  })

  it('refuses prose with a helpful message', () => {
    const text = 'Meeting notes\nWe met on Monday, all of us.\nNothing was decided, as usual.'
    expect(() => planCsv('my notes.txt.gz', bytes(text))).toThrow(
      '"my notes.txt.gz" looks like prose, not rows. If it is a table, rename it to "my notes.csv", or use "Paste a table" in Data.',
    )
    expect(namesOf(planCsv('my notes.csv', bytes(text)))).toEqual(['Meeting notes'])
  })

  it('reports ragged rows, and refuses an empty file', () => {
    expect(planCsv('t.csv', bytes('a,b\n1\n1,2\n1,2,3\n')).warnings).toEqual([
      expect.stringMatching(/^2 of the checked rows/),
    ])
    expect(() => planCsv('t.csv', bytes('\ufeff \n'))).toThrow('"t.csv" is empty')
  })

  it('uses the options that the user chose', () => {
    const plan = planCsv('t.csv', bytes('a;b\n1,5;2\n'), { delimiter: ',', hasHeader: false })
    expect(namesOf(plan)).toHaveLength(1)
    expect(plan.preview.rows[0]).toEqual(['a;b'])
  })
})
