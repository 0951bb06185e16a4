import { parse, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile, type TopLevelSpec } from 'vega-lite'
import { expect, it } from 'vitest'
import type { ChartChoice } from '../analysis.ts'
import type { Rows } from '../cells.ts'
import { choiceOf, lightTheme, rowsOf, weekly } from './chart-rows.fixture.ts'
import { momentOf } from './chart-time.ts'
import { drawingOf } from './drawing-of.ts'
import { specFor } from './spec-for.ts'

const specOf = (choice: ChartChoice, rows: Rows): TopLevelSpec =>
  specFor(drawingOf(choice, rows), { theme: lightTheme, width: 640, title: 'A title' })

async function drawn(spec: TopLevelSpec): Promise<{ svg: string; remarks: readonly string[] }> {
  const remarks: string[] = []
  const note = (...words: readonly unknown[]) => {
    remarks.push(words.join(' '))
    return logger
  }
  const logger = { level: () => logger, error: note, warn: note, info: () => logger, debug: () => logger } as never
  const view = new View(parse(compile(spec, { logger }).spec, undefined, { ast: true }), {
    expr: expressionInterpreter,
  })
  view.logger(logger)
  const svg = await view.toSVG()
  view.finalize()
  return { svg, remarks }
}

const oddNames = [
  'a.b',
  'a[0]',
  "it's",
  'say "x"',
  'back\\slash',
  'Größe',
  '价格',
  'f1',
  'datum.f0',
  '',
  ' ',
  '<b>',
  '__proto__',
]

it('draws every type without a remark of Vega, from one series and from several', async () => {
  const cities = rowsOf(
    { city: 'VARCHAR', kind: 'VARCHAR', n: 'BIGINT', m: 'DOUBLE' },
    ['a', 'x', 1, 2],
    ['b', 'x', 3, 4],
    ['a', 'y', 5, 6],
  )
  const months = rowsOf({ month: 'VARCHAR', n: 'BIGINT' }, ['2026-01', 1], ['2026-02', 2], ['2026-03', 3])
  const long = rowsOf({ name: 'VARCHAR', n: 'BIGINT' }, ['a rather long name of something', 1], ['b', 2])
  const drawings: readonly (readonly [Partial<ChartChoice>, Rows])[] = [
    [{ type: 'line', x: 'week', y: ['late_share'], series: 'region' }, weekly],
    [{ type: 'line', x: 'month', y: ['n'] }, months],
    [{ type: 'line', x: 'n', y: ['m'] }, cities],
    [{ type: 'line', x: 'city', y: ['n', 'm'], aggregate: 'sum' }, cities],
    [{ type: 'bar', x: 'city', y: ['n'], aggregate: 'sum' }, cities],
    [{ type: 'bar', x: 'city', y: ['n'], series: 'kind' }, cities],
    [{ type: 'bar', x: 'month', y: ['n'] }, months],
    [{ type: 'bar', x: 'name', y: ['n'], limit: 1, aggregate: 'sum' }, long],
    [{ type: 'bar', x: 'name', y: ['n'] }, long],
    [{ type: 'bar', x: null, y: ['n', 'm'], aggregate: 'sum' }, cities],
    [{ type: 'pie', x: 'city', y: ['n'], aggregate: 'sum' }, cities],
    [{ type: 'scatter', x: 'n', y: ['m'] }, cities],
    [{ type: 'scatter', x: 'n', y: ['m'], series: 'kind' }, cities],
    [{ type: 'scatter', x: 'week', y: ['late_share'] }, weekly],
  ]
  for (const [choice, rows] of drawings) {
    const { svg, remarks } = await drawn(specOf(choiceOf(choice), rows))
    expect.soft(remarks, JSON.stringify(choice)).toEqual([])
    expect.soft(svg, JSON.stringify(choice)).toMatch(/<path[^>]* d="M[^"]{9,}/)
    expect.soft(svg).not.toMatch(/NaN|undefined|\[object/)
  }
})

it('takes any name for a column: fields are ours, names are titles', async () => {
  for (const name of oddNames) {
    for (const type of ['bar', 'line', 'scatter', 'pie'] as const) {
      const rows: Rows = {
        columns: [
          { name: type === 'scatter' ? 'x' : name, type: type === 'scatter' ? 'DOUBLE' : 'VARCHAR' },
          { name: `${name}2`, type: 'DOUBLE' },
        ],
        rows: [1, 2, 3].map((at) => [type === 'scatter' ? at : `c${at}`, at]),
      }
      const x = rows.columns[0]?.name ?? ''
      const { svg, remarks } = await drawn(specOf(choiceOf({ type, x, y: [`${name}2`] }), rows))
      expect.soft(remarks, `${type} of ${name}`).toEqual([])
      expect.soft(svg, `${type} of ${name}`).toMatch(/<path[^>]* d="M[^"]{9,}/)
    }
  }
})

it('has what cells and titles hold as text alone', async () => {
  const evil = [
    '<script>alert(1)</script>',
    '</svg><img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    '{{x}}',
    "');x(",
  ]
  const rows = rowsOf(
    { '"><script>alert(2)</script>': 'VARCHAR', n: 'DOUBLE' },
    ...evil.map((text, at) => [text, at + 1]),
  )
  for (const type of ['bar', 'pie', 'line'] as const) {
    const { svg } = await drawn(specOf(choiceOf({ type, x: rows.columns[0]?.name ?? '', y: ['n'] }), rows))
    expect(svg).not.toMatch(/<script|<img|<a[ >]|href|onerror=(?!alert\(1\)&gt;)/)
    expect(svg.match(/<\/svg>/g)).toHaveLength(1)
  }
})

it('lets nothing be fetched, called or computed from a name: the spec has values and no expressions', () => {
  const text = JSON.stringify(
    specOf(choiceOf({ type: 'line', x: 'week', y: ['late_share'], series: 'region' }), weekly),
  )
  expect(text).not.toMatch(/"(url|href|expr|signal|transform|calculate|params)"/)
})

it('starts bars at zero and puts days on a time scale', () => {
  const rows = rowsOf({ day: 'DATE', n: 'BIGINT' }, ['2026-01-01', 90], ['2026-01-02', 95], ['2026-01-03', 93])
  const bar = JSON.stringify(specOf(choiceOf({ x: 'day', y: ['n'] }), rows))
  expect(bar).toContain('"domain":[0,100]')
  expect(bar).toContain('"timeUnit":"utcyearmonthdate"')
  expect(JSON.stringify(specOf(choiceOf({ type: 'line', x: 'day', y: ['n'] }), rows))).toContain('"type":"temporal"')
})

it('reads days and moments as the database writes them, zones included, and nothing else', () => {
  expect(momentOf('2026-07-01')).toBe(Date.UTC(2026, 6, 1))
  expect(momentOf('2026-07')).toBe(Date.UTC(2026, 6, 1))
  expect(momentOf('2026-07-01 14:20:30.5')).toBe(Date.UTC(2026, 6, 1, 14, 20, 30, 500))
  expect(momentOf('2026-07-01T14:20:00+02:00')).toBe(Date.UTC(2026, 6, 1, 12, 20))
  expect(momentOf('2026-07-01 14:20:00-0330')).toBe(Date.UTC(2026, 6, 1, 17, 50))
  expect([momentOf('2026-13'), momentOf('12.07.2026'), momentOf('2026'), momentOf('')]).toEqual([
    null,
    null,
    null,
    null,
  ])
})
