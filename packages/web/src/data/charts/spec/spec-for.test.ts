import { parse, View } from 'vega'
import { expressionInterpreter } from 'vega-interpreter'
import { compile, type TopLevelSpec } from 'vega-lite'
import { expect, it } from 'vitest'
import type { ChartChoice } from '../../domain/analysis.ts'
import type { Rows } from '../../domain/cells.ts'
import { chartDrawing } from '../chart-drawing.ts'
import { choiceOf, lightTheme, rowsOf, weekly } from '../chart-rows.fixture.ts'
import { momentOf } from '../chart-time.ts'
import { specFor } from './spec-for.ts'

const specOf = (choice: ChartChoice, rows: Rows): TopLevelSpec =>
  specFor(chartDrawing(choice, rows), { theme: lightTheme, width: 640, title: 'A title' })

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
  'y',
  'datum.x',
  '',
  ' ',
  '<b>',
  '__proto__',
]

it('draws every type without a Vega warning, from one series and from several', async () => {
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

it('accepts any column name: fields have our names, column names are titles', async () => {
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

it('treats the content of cells and titles as text', async () => {
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

it('contains values only: no expressions, requests or calls come from a name', () => {
  const text = JSON.stringify(
    specOf(choiceOf({ type: 'line', x: 'week', y: ['late_share'], series: 'region' }), weekly),
  )
  expect(text).not.toMatch(/"(url|href|expr|signal|transform|calculate|params)"/)
})

it('starts bars at zero and places days on a time scale', () => {
  const rows = rowsOf({ day: 'DATE', n: 'BIGINT' }, ['2026-01-01', 90], ['2026-01-02', 95], ['2026-01-03', 93])
  const bar = JSON.stringify(specOf(choiceOf({ x: 'day', y: ['n'] }), rows))
  expect(bar).toContain('"domain":[0,100]')
  expect(bar).toContain('"type":"temporal"')
  expect(JSON.stringify(specOf(choiceOf({ type: 'line', x: 'day', y: ['n'] }), rows))).toContain('"type":"temporal"')
})

/** Positions: the centers of bars and of their figures, and the labels under the axis. */
async function places(spec: TopLevelSpec) {
  const view = await new View(parse(compile(spec).spec, undefined, { ast: true }), {
    expr: expressionInterpreter,
  }).runAsync()
  const bars: number[] = []
  const figures: number[] = []
  const labels: string[] = []
  function walk(item: SceneItem): void {
    const kind = `${item.mark?.marktype} ${item.mark?.role}`
    const middle = ((item.bounds?.x1 ?? 0) + (item.bounds?.x2 ?? 0)) / 2
    if (kind === 'rect mark') bars.push(middle)
    if (kind === 'text mark') figures.push(middle)
    if (kind === 'text axis-label' && (item.opacity ?? 1) > 0) labels.push(String(item.text))
    for (const one of item.items ?? []) walk(one)
  }
  // Vega's types omit the root of a scene.
  walk((view.scenegraph() as unknown as { readonly root: SceneItem }).root)
  view.finalize()
  return { bars, figures, labels }
}

interface SceneItem {
  readonly mark?: { readonly marktype: string; readonly role: string }
  readonly bounds?: { readonly x1: number; readonly x2: number }
  readonly text?: string
  readonly opacity?: number
  readonly items?: readonly SceneItem[]
}

const timed = (times: readonly string[], size = 100) =>
  rowsOf({ t: 'VARCHAR', n: 'DOUBLE' }, ...times.map((time, at) => [time, size + at]))
const upTo = (count: number, time: (index: number) => string) => Array.from({ length: count }, (_, at) => time(at + 1))
const two = (value: number): string => String(value).padStart(2, '0')

it.each([
  ['months', upTo(8, (at) => `2026-${two(at)}`)],
  ['months with a gap', ['2026-01', '2026-02', '2026-04', '2026-05', '2026-08']],
  ['two months', ['2026-07', '2026-08']],
  ['days', upTo(9, (at) => `2026-01-${two(at)}`)],
  ['quarters', ['2025-10', '2026-01', '2026-04', '2026-07']],
  ['years', upTo(6, (at) => `${2019 + at}-01-01`)],
])('centers each figure over its bar: %s', async (_, times) => {
  const drawn = await places(specOf(choiceOf({ x: 't', y: ['n'] }), timed(times)))
  expect(drawn.bars).toHaveLength(times.length)
  expect(drawn.figures.map(Math.round)).toEqual(drawn.bars.map(Math.round))
})

it('ends the time axis with the last bar', async () => {
  const months = timed(upTo(8, (at) => `2026-${two(at)}`))
  const drawing = chartDrawing(choiceOf({ x: 't', y: ['n'] }), months)
  const { labels } = await places(specFor(drawing, { theme: lightTheme, width: 1000 }))
  expect(labels).toContain('Aug 2026')
  expect(labels).not.toContain('Sep 2026')
})

it('labels each of a few days once, in lines and in bars', async () => {
  const days = timed(['2026-01-05', '2026-01-06', '2026-01-07'])
  for (const type of ['bar', 'line'] as const) {
    const { labels } = await places(specOf(choiceOf({ type, x: 't', y: ['n'] }), days))
    expect(labels.filter((label) => label.includes('Jan'))).toEqual(['Jan 5, 2026', 'Jan 6, 2026', 'Jan 7, 2026'])
  }
})

it('omits figures that would overlap', async () => {
  const figures = async (count: number, size: number, width: number) => {
    const months = timed(
      upTo(count, (at) => `${2024 + Math.floor((at - 1) / 12)}-${two(((at - 1) % 12) + 1)}`),
      size,
    )
    const drawing = chartDrawing(choiceOf({ x: 't', y: ['n'] }), months)
    return (await places(specFor(drawing, { theme: lightTheme, width }))).figures.length
  }
  expect(await figures(8, 27_372.85, 640)).toBe(8)
  expect(await figures(8, 27_372.85, 320)).toBe(0)
  expect(await figures(3, 27_372.85, 320)).toBe(3)
  expect(await figures(24, 10, 900)).toBe(24)
  expect(await figures(24, 27_372.85, 900)).toBe(0)
})

it('puts the labels of a pie below it when there is no space beside it', () => {
  const drawing = chartDrawing(choiceOf({ type: 'pie', x: 't', y: ['n'] }), timed(['2026-07', '2026-08']))
  const legend = (width: number) => JSON.stringify(specFor(drawing, { theme: lightTheme, width }).config?.legend)
  expect(legend(640)).toContain('"orient":"right"')
  expect(legend(320)).toContain('"orient":"bottom"')
})

it('draws named slices in shades of one color, and only the others in grey', () => {
  const cities = rowsOf({ t: 'VARCHAR', n: 'DOUBLE' }, ...upTo(9, (at) => `c${at}`).map((name, at) => [name, 2 ** -at]))
  const spec = JSON.stringify(specOf(choiceOf({ type: 'pie', x: 't', y: ['n'] }), cities))
  const colors = /"range":\[([^\]]+)\]/.exec(spec)?.[1]?.match(/#[0-9a-f]{6}/g) ?? []
  expect(new Set(colors).size).toBe(5)
  expect([colors[0], colors.at(-1)]).toEqual([lightTheme.accent, lightTheme.rest])
  // A shade of blue: less red than blue in every slice.
  const isBlue = (color: string) => Number.parseInt(color.slice(1, 3), 16) + 20 < Number.parseInt(color.slice(5), 16)
  expect(colors.map(isBlue)).toEqual([true, true, true, true, false])
})

it('parses dates and timestamps of the database including zones, and nothing else', () => {
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
