import { describe, expect, it } from 'vitest'
import type { Cell } from '../domain/cells.ts'
import type { Proof } from '../domain/proof.ts'
import { proveNumbers } from './prove-numbers.ts'
import type { ProvingRows } from './step-numbers.ts'

const table = (names: readonly string[], rows: readonly (readonly Cell[])[], rowCount?: number): ProvingRows => ({
  columns: names.map((name) => ({ name, type: 'DOUBLE' })),
  rows,
  ...(rowCount === undefined ? {} : { rowCount }),
})

const regions = table(
  ['region', 'july', 'sept', 'rise'],
  [
    ['North', 6.08, 14.8, 8.72],
    ['West', 7.2, 9.1, 1.9],
    ['South', 5.1, 6.4, 1.3],
    ['East', 4.4, 5, -0.6],
  ],
  4,
)

type Answer = Parameters<typeof proveNumbers>[0]

/** Each number of the answer with its proof: `step.row.column`, `step rows`, or `unverified`. */
function proofs(answer: Answer | string, steps: readonly (readonly [number, ProvingRows])[] = [[3, regions]]) {
  const asked = typeof answer === 'string' ? { answer } : answer
  const pieces = proveNumbers(asked, new Map(steps))
  expect(pieces.map(({ text }) => text).join('')).toBe(asked.answer)
  return pieces.flatMap((piece) => (piece.kind === 'number' ? [`${piece.text} ← ${words(piece.proof)}`] : []))
}

const words = (proof: Proof | null): string => {
  if (proof === null) return 'unverified'
  return 'column' in proof ? `${proof.step}.${proof.row}.${proof.column}` : `${proof.step} rows`
}

const one = (value: Cell) => [[1, table(['v'], [[value]])]] as const

it('finds the cell of every number, and marks the unproven one', () => {
  expect(proofs('North rose from 6.1 % in July to **14.8 %** in September, West by 1.9 points, not 2.4.')).toEqual([
    '6.1 % ← 3.0.july',
    '14.8 % ← 3.0.sept',
    '1.9 ← 3.1.rise',
    '2.4 ← unverified',
  ])
})

describe('the notation of a number', () => {
  it.each([
    ['2,418,306 rows', '2,418,306', 2418306],
    ['2’418’306 rows', '2’418’306', 2418306],
    ['2\u202f418\u202f306 rows', '2\u202f418\u202f306', 2418306],
    ['2.4 million rows', '2.4 million', 2418306],
    ['2.4M rows', '2.4M', 2418306],
    ['2418k rows', '2418k', 2418306],
    ['$1.2bn', '$1.2bn', 1_234_000_000],
    ['$41.86 a day', '$41.86', 41.861],
    ['€41.86', '€41.86', '41.86'],
    ['41.86 € a day', '41.86 €', 41.86],
    ['$12m', '$12m', 12_300_000],
    ['12m of rope', '12', 12],
    ['−3.2 points', '−3.2', -3.2],
    ['-3.2%', '-3.2%', -0.032],
    ['+3.2%', '+3.2%', 3.24],
    ['6.1 percent', '6.1', 0.0608],
    ['6.1%', '6.1%', 6.149],
    ['72 % of them', '72 %', 0.7163],
    ['9007199254740993 cents', '9007199254740993', 9007199254740993n],
    ['31 kg', '31', 31.4],
    ['31kg', '31', 31],
    ['412ms', '412', 412],
    ['1.5x', '1.5', 1.5],
    ['a share of 0.31', '0.31', 0.3149],
    ['about 100', '100', '100'],
    ['14.8 %', '14.8 %', '14.8%'],
    ['(14.8)', '14.8', 14.8],
    ['10–20', '10', 10],
  ])('accepts %s', (answer, text, cell) => {
    expect(proofs(answer, one(cell))).toContain(`${text} ← 1.0.v`)
  })

  it.each([
    ['Der Anteil stieg auf 14,8 % bei 2.418.306 Zeilen', ['14,8 % ← 1.0.v', '2.418.306 ← 1.1.v']],
    ['The share rose to 14.8 % of 2,418,306 rows', ['14.8 % ← 1.0.v', '2,418,306 ← 1.1.v']],
  ])('accepts the notation of another language: %s', (answer, expected) => {
    expect(proofs(answer, [[1, table(['v'], [[14.8], [2418306]])]])).toEqual(expected)
  })

  it.each([
    ['6.1 %', 6.16],
    ['6.10 %', 6.11],
    ['1,240', 1241],
    ['2.4 million', 2_451_000],
    ['14.8', 0.148],
    ['3.2 higher', -3.2],
    ['-3.2', 3.2],
    ['1.240', 1240],
  ])('does not accept %s for %s, beyond the shown digits', (answer, cell) => {
    expect(proofs(answer, one(cell))).toEqual([expect.stringContaining('unverified')])
  })

  it('treats a loss described in words as negative', () => {
    expect(proofs('East fell by 0.6 points')).toEqual(['0.6 ← 3.3.rise'])
    expect(proofs('East rose by 0.6 points')).toEqual(['0.6 ← unverified'])
  })

  it('reads both ends of a range', () => {
    expect(proofs('between 5.1-6.4 and 7.2–9.1')).toEqual([
      ...['5.1 ← 3.2.july', '6.4 ← 3.2.sept', '7.2 ← 3.1.july', '9.1 ← 3.1.sept'],
    ])
  })
})

describe('text that is not a claim', () => {
  it.each([
    'Since 2024, and between 1998 and 2026',
    'in 2023-24 and 2023/2024',
    'See step 3, steps 2 and 5, step_4',
    'the 1st, 2nd and 21st',
    'Q3, H1, CO2, A4, v2.1, x86, 5G',
    'version 1.32.0',
    'on 2024-07-01 at 14:21, or 01/07/2024',
    'on 3 July, July 4, 5th of May',
    'the top 5, week 36, the last 3 months',
    'a 3-month window',
    '`SELECT 14.9`',
    '```sql\nSELECT 14.9\n```',
    '[14.9 here](https://example.org/14.9) and https://example.org/77',
    '1. first\n2. second\n10) tenth',
    'ticket #12',
    'row 24/7',
  ])('includes %s', (answer) => {
    expect(proofs(answer)).toEqual([])
  })

  it('includes names from the data anywhere', () => {
    const depots = table(['depot', 'Q3 2024'], [['Depot 12', 7]])
    expect(proofs('Depot 12 leads with 7 in Q3 2024, 12 do not', [[1, depots]])).toEqual([
      '7 ← 1.0.Q3 2024',
      '12 ← unverified',
    ])
  })

  it('counts if the model claims it', () => {
    const years = table(['year', 'n'], [[2024, 7]])
    const claims = [{ text: '2024', stepId: 1, column: 'year', row: 0 }]
    expect(proofs({ answer: 'Most were in 2024', claims }, [[1, years]])).toEqual(['2024 ← 1.0.year'])
  })

  it('does not include a number only because a month precedes it', () => {
    expect(proofs('In July 6.1 % were late, in September 14.8 %')).toEqual(['6.1 % ← 3.0.july', '14.8 % ← 3.0.sept'])
  })
})

describe('the proving cell', () => {
  const early = table(['n'], [[31]])
  const late = table(['m'], [[5], [31]])

  it('is the claimed one if it contains the number', () => {
    const claims = [{ text: '31 %', stepId: 1, column: 'N', row: 0 }]
    const steps = [
      [1, early],
      [2, late],
    ] as const
    expect(proofs({ answer: 'It takes 31 %', claims, sourceStep: 2 }, steps)).toEqual(['31 % ← 1.0.n'])
  })

  it('is another one if the claimed one contains something else', () => {
    const claims = [{ text: '31 %', stepId: 2, column: 'm', row: 0 }]
    expect(proofs({ answer: 'It takes 31 %', claims }, [[2, late]])).toEqual(['31 % ← 2.1.m'])
  })

  it('is in the step that the answer is based on, otherwise in the latest', () => {
    const steps = [
      [1, early],
      [2, late],
    ] as const
    expect(proofs({ answer: '31 of them', sourceStep: 1 }, steps)).toEqual(['31 ← 1.0.n'])
    expect(proofs({ answer: '31 of them' }, steps)).toEqual(['31 ← 2.1.m'])
  })

  it('is the nearest of several', () => {
    expect(proofs('31 %', [[1, table(['n'], [[31.4], [31], [30.6]])]])).toEqual(['31 % ← 1.1.n'])
  })

  it('differs for two equal numbers with separate claims', () => {
    const claims = [
      { text: 'North has 5', stepId: 1, column: 'a', row: 0 },
      { text: 'South has 5', stepId: 1, column: 'b', row: 0 },
    ]
    const both = table(['a', 'b'], [[5, 5]])
    expect(proofs({ answer: 'South has 5. North has 5.', claims }, [[1, both]])).toEqual(['5 ← 1.0.b', '5 ← 1.0.a'])
  })

  it('is not needed if the row count is the number', () => {
    expect(proofs('There are 4 regions')).toEqual(['4 ← 3 rows'])
    expect(proofs('There are 17 regions')).toEqual(['17 ← unverified'])
  })
})

it('is missing for a number that was changed by hand, claimed or not', () => {
  const claims = [{ text: '14.8 %', stepId: 3, column: 'sept', row: 0 }]
  expect(proofs({ answer: 'North came to 14.8 %', claims })).toEqual(['14.8 % ← 3.0.sept'])
  expect(proofs({ answer: 'North came to 14.9 %', claims })).toEqual(['14.9 % ← unverified'])
  expect(proofs('North came to 14.9 %')).toEqual(['14.9 % ← unverified'])
})

it('is missing without rows, and for an answer made only of digits', () => {
  expect(proofs('14.8 %', [])).toEqual(['14.8 % ← unverified'])
  expect(proofs(`${'1'.repeat(400)} and ${'1,'.repeat(5000)}`)).not.toContain('proved')
})

it('is found quickly among many numbers and rows', () => {
  const rows = Array.from({ length: 10_000 }, (_, row) => [row, row / 7, `name ${row}`])
  const answer = Array.from({ length: 200 }, (_, index) => `${index * 31 + 0.5} was found`).join(', ')
  expect(proofs(answer, [[1, table(['a', 'b', 'c'], rows, 10_000)]])).toHaveLength(200)
})
