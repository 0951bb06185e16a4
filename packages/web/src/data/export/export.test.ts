import { describe, expect, it } from 'vitest'
import { answerOf, rowsOf } from '../charts/chart-rows.fixture.ts'
import type { Analysis, AnalysisStep, Run } from '../domain/analysis.ts'
import type { Cell, Rows } from '../domain/cells.ts'
import type { AnswerPiece } from '../domain/proof.ts'
import { fileName } from './file-name.ts'
import { type ReportChart, type ReportOptions, reportOf } from './report.ts'
import { toCsv } from './to-csv.ts'
import { toHtml } from './to-html.ts'
import { toMarkdown } from './to-markdown.ts'
import { toSql } from './to-sql.ts'

const evil = '<script>alert(1)</script>'

const step = (change: Partial<AnalysisStep>): AnalysisStep => ({
  n: 1,
  callId: 'call-1' as AnalysisStep['callId'],
  tool: 'run_query',
  thought: 'Count late parcels.',
  language: 'sql',
  code: 'SELECT 1',
  original: 'SELECT 1',
  reads: [],
  state: 'ok',
  rowCount: 2,
  elapsedMs: 3.4,
  sent: null,
  error: null,
  startedAt: '2026-07-01T10:00:00Z',
  ...change,
})

const run = (change: Partial<Run>): Run => ({
  id: 'r1',
  question: 'Who is late?',
  tier: 'high',
  thinking: false,
  state: 'done',
  said: '',
  ask: null,
  startedAt: '2026-07-01T10:00:00Z',
  endedAt: '2026-07-01T10:01:00Z',
  steps: [step({})],
  charts: [],
  failure: null,
  answer: answerOf({ answer: 'North, **14.8 %**.', caveats: ['2 rows left out'] }),
  ...change,
})

const analysis = (...runs: readonly Run[]): Analysis => ({
  id: 'a1',
  title: 'Late deliveries',
  createdAt: '2026-07-01T10:00:00Z',
  changedAt: '2026-07-02T10:00:00Z',
  level: 1 as Analysis['level'],
  scope: [],
  sessionId: null,
  agent: null,
  sent: [],
  runs,
  tables: [{ name: 'deliveries', fingerprint: 'x', rowCount: 2_418_306 }],
})

const rows = rowsOf({ region: 'VARCHAR', late: 'DOUBLE' }, ['North', 14.8], [null, 1])
const chart: ReportChart = {
  title: 'Late by region',
  svg: '<svg></svg>',
  facts: ['From step 1'],
  table: { ...rows, more: 0 },
}
const everything: ReportOptions = { runIds: ['r1'], answers: true, charts: true, steps: true, rows: true }
const partsOf = (list: Rows = rows) => ({
  charts: new Map([['r1', [chart]]]),
  rowsByStep: new Map([[1, list]]),
  pieces: new Map(),
})

describe('CSV', () => {
  it('round-trips quotes, commas, line breaks, blanks, nulls and empty text', () => {
    const cells: readonly Cell[] = [
      'a,b',
      'say "x"',
      'two\r\nlines',
      ' blank ',
      '',
      null,
      -1.5,
      9_007_199_254_740_993n,
      true,
      'Größe 价格',
    ]
    const list: Rows = { columns: cells.map((_, at) => ({ name: `c"${at}`, type: 'VARCHAR' })), rows: [cells] }
    const [head, read] = readCsv(toCsv(list))
    expect(head).toEqual(cells.map((_, at) => `c"${at}`))
    expect(read).toEqual(cells.map((cell) => (cell === null ? null : String(cell))))
  })

  it('escapes cells that start like a formula, but not negative numbers', () => {
    const cells = ['=1+1', '+49 30', '-x', '@a', '\t=1', '\r=1', '-12.5', '-1e5', 'plain']
    const [, read] = readCsv(toCsv(rowsOf(Object.fromEntries(cells.map((_, at) => [`c${at}`, 'VARCHAR'])), [...cells])))
    expect(read).toEqual(["'=1+1", "'+49 30", "'-x", "'@a", "'\t=1", "'\r=1", '-12.5', '-1e5', 'plain'])
    expect(readCsv(toCsv(rowsOf({ '=cmd()': 'BIGINT' }, [-5])))).toEqual([["'=cmd()"], ['-5']])
  })

  it('has a byte order mark for Excel on request', () => {
    expect(toCsv(rows, { hasMark: true }).codePointAt(0)).toBe(0xfeff)
    expect(toCsv(rows).startsWith('region,late\r\n')).toBe(true)
  })
})

describe('a report', () => {
  it('contains the chosen parts in the chosen order', () => {
    const two = analysis(run({}), run({ id: 'r2', question: 'When?' }))
    const report = reportOf(two, { ...everything, runIds: ['r2', 'r1'], steps: false, rows: false }, partsOf())
    expect(report.sections.map(({ question }) => question)).toEqual(['When?', 'Who is late?'])
    expect(report.sections.flatMap(({ steps }) => steps)).toEqual([])
    const withoutRows = reportOf(two, { ...everything, rows: false }, partsOf())
    expect(withoutRows.sections[0]?.steps[0]).toMatchObject({ rows: null, facts: '2 rows, 3 ms' })
  })

  it('has at most a hundred rows of a step, and counts the others', () => {
    const many = rowsOf({ n: 'BIGINT' }, ...Array.from({ length: 500 }, (_, at) => [at]))
    const report = reportOf(analysis(run({ steps: [step({ rowCount: 7100 })] })), everything, partsOf(many))
    expect(report.sections[0]?.steps[0]?.rows?.rows).toHaveLength(100)
    expect(toMarkdown(report, { answerMarkdown: (text) => text })).toContain('\n| 99 |\n\nand 7,000 more rows')
    expect(toHtml(report, { answerHtml: (text) => text })).toContain('<p class="facts">and 7,000 more rows</p>')
  })

  it('marks a question without an answer and an edited step', () => {
    const open = run({ answer: null, state: 'cancelled', steps: [step({ code: 'SELECT 2', state: 'stale' })] })
    const [section] = reportOf(analysis(open), everything, partsOf()).sections
    expect(section?.answer).toBe('Not answered.')
    expect(section?.steps[0]?.facts).toContain('edited by hand, based on an earlier version')
  })

  it('marks changed steps and unproven numbers at the answer, in both formats', () => {
    const steps = [step({}), step({ n: 2, original: 'SELECT 2' })]
    const changed = analysis(run({ steps, answer: answerOf({ answer: 'North, **14.8 %**, of 97.', sourceStep: 2 }) }))
    const pieces: readonly AnswerPiece[] = [
      { kind: 'text', text: 'North, **' },
      { kind: 'number', text: '14.8 %', proof: { step: 2, row: 0, column: 'late' } },
      { kind: 'text', text: '**, of ' },
      { kind: 'number', text: '97', proof: null },
      { kind: 'text', text: '.' },
    ]
    const report = reportOf(changed, everything, { ...partsOf(), pieces: new Map([['r1', pieces]]) })
    const notice = 'Based on an earlier version of step 2: changed since this was answered.'
    const answer = 'North, **14.8 %**, of 97 (unverified).'
    expect(toMarkdown(report, { answerMarkdown: (text) => text })).toContain(`*${notice}*\n\n${answer}\n`)
    expect(toHtml(report, { answerHtml: (text) => text })).toContain(
      `<p class="outdated">${notice}</p>\n<div class="answer">${answer}</div>`,
    )
    const [plain] = reportOf(analysis(run({})), everything, partsOf()).sections
    expect(plain).toMatchObject({ outdated: null, answer: 'North, **14.8 %**.' })
  })

  it('is Markdown in which text of the model and cells cannot run, load or break out', () => {
    const hostile = run({ question: `# ${evil}\n\n## more`, steps: [step({ code: 'SELECT 1 -- ```\n```\n# out' })] })
    const cells = rowsOf({ 'a|b': 'VARCHAR' }, ['x | y\nz'], [evil])
    const text = toMarkdown(reportOf(analysis(hostile), everything, partsOf(cells)), { answerMarkdown: () => 'tamed' })
    expect(text).not.toContain('<script')
    expect(text).toContain('\n\ntamed\n\n')
    expect(text).toContain('| a\\|b |')
    expect(text).toContain('| x \\| y z |')
    expect(text).toContain('````sql\nSELECT 1 -- ```')
    expect(text.match(/^## /gm)).toHaveLength(1)
  })

  it('is one HTML file without script or addresses, escaped, under a strict policy', () => {
    const hostile = run({
      question: evil,
      steps: [step({ thought: evil, code: `SELECT '${evil}'`, state: 'error', error: evil })],
    })
    const cells = rowsOf({ '"><img src=x onerror=alert(1)>': 'VARCHAR' }, [evil], [null])
    const report = { ...reportOf(analysis(hostile), everything, partsOf(cells)), title: evil }
    const page = toHtml(report, { answerHtml: () => '<p>14.8</p>' })
    expect(page).toContain(
      `content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`,
    )
    expect(page).not.toMatch(/<script|<img|<link|<iframe|src=(?!x)|href=|url\(/i)
    expect(page).toContain('<svg></svg>')
    expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  })
})

it('is a SQL script of all steps: queries as views, other code and failed steps as comments', () => {
  const steps = [
    step({ code: 'WITH x AS (SELECT 1) SELECT * FROM x -- done' }),
    step({ n: 2, code: 'SUMMARIZE deliveries;' }),
    step({ n: 3, code: 'return data\n  .map(x)', language: 'javascript', tool: 'transform_data' }),
    step({ n: 12, code: 'SELEC', state: 'error' }),
  ]
  const script = toSql(analysis(run({ question: 'Who\nis late?', steps })))
  expect(script).toContain('-- Who is late?\n')
  expect(script).toContain('CREATE OR REPLACE VIEW step_1 AS\nWITH x AS (SELECT 1) SELECT * FROM x -- done\n;')
  expect(script).toContain('\nSUMMARIZE deliveries\n;')
  expect(script).toContain('-- return data\n--   .map(x)')
  expect(script).toContain('-- (did not run)\n-- SELEC')
  expect(script).toContain('-- Needs the tables: deliveries')
})

it('makes a portable file name of any title', () => {
  expect(fileName('Late deliveries, Q3', 'md')).toBe('Late deliveries, Q3.md')
  expect(fileName('../../etc/passwd', 'csv')).toBe('etc passwd.csv')
  expect(fileName('a\u202Egnp.exe\u0000/b\\c:d', 'png')).toBe('a gnp.exe b c d.png')
  expect(fileName('Größe 价格', 'svg')).toBe('Größe 价格.svg')
  expect([fileName(' . ', 'md'), fileName('', 'md'), fileName('CON', 'md')]).toEqual([
    'analysis.md',
    'analysis.md',
    'CON_.md',
  ])
  expect(fileName('x'.repeat(500), 'md')).toHaveLength(83)
  expect(fileName('What of Verkäufe_2026?, and why?', 'md')).toBe('What of Verkäufe_2026, and why.md')
  // The part stays, however long the title is.
  expect(fileName('How was Verkäufe_2026?', 'csv', 'step 15')).toBe('How was Verkäufe_2026, step 15.csv')
  expect(fileName('x'.repeat(500), 'csv', 'step 15')).toBe(`${'x'.repeat(80)}, step 15.csv`)
})

/** RFC 4180, with unquoted empty fields as null. */
function readCsv(text: string): (string | null)[][] {
  const lines: (string | null)[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r\n)/g)) {
    lines.at(-1)?.push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'))
    if (end === '\r\n') lines.push([])
  }
  return lines.slice(0, -1)
}
