// Reports in a real browser with the real content security policy: no requests, no script.
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import type { Analysis, Run } from '../../packages/web/src/data/domain/analysis.ts'
import type { ChartScreen } from '../../packages/web/src/data/ui/analysis/chart-screen.fixture.tsx'
import { seriousIssues } from '../support/browser/axe.ts'
import { type Harness, openHarness } from './support/analysis-harness.ts'
import { evil, runOf, weekly } from './support/chart-samples.ts'

/** Created on the page by its fixture. */
declare const chartScreen: ChartScreen

let harness: Harness<'screen'>

beforeAll(async () => {
  harness = await openHarness('screen')
})
afterEach(() => {
  expect(harness.trouble()).toEqual([])
  expect(harness.outside()).toEqual([])
})
afterAll(() => harness?.close())

it('previews the report exactly as it is saved, with the chosen parts in order and without script', async () => {
  const step = {
    n: 1,
    callId: 'c1' as never,
    tool: 'run_query' as const,
    thought: `Compare ${evil[0]}`,
    language: 'sql' as const,
    code: "SELECT '</code><script>alert(1)</script>'",
    original: '',
    reads: [],
    state: 'ok' as const,
    rowCount: 16,
    elapsedMs: 4,
    sent: null,
    error: null,
    startedAt: '2026-07-01T10:00:00Z',
  }
  const answer = {
    answer: `North ${evil[0]} **rose**`,
    chartType: 'line' as const,
    sourceStep: 1,
    caveats: [evil[1] ?? ''],
  }
  const first = { ...runOf(answer), steps: [step] }
  const second: Run = { ...runOf({ chartType: 'table' }), id: 'r2', question: 'And then?' }
  const analysis: Analysis = {
    id: 'a1',
    title: 'Late </title><script>alert(1)</script>',
    createdAt: '2026-07-01',
    changedAt: '2026-07-02',
    level: 1 as Analysis['level'],
    scope: [],
    tables: [],
    sessionId: null,
    agent: null,
    sent: [],
    runs: [first, second],
  }
  await harness.run(({ analysis, steps }) => chartScreen.showReport(analysis, steps), {
    analysis,
    steps: [[1, weekly]] as const,
  })
  const { page } = harness
  const preview = page.frameLocator('iframe[title="Preview of the report"]')
  await preview.locator('svg').first().waitFor()
  expect(await preview.locator('h2').allInnerTexts()).toEqual(['Who is late?', 'And then?'])
  expect(await preview.locator('pre').innerText()).toBe(step.code)
  expect(await preview.locator('script,img,iframe,a').count()).toBe(0)
  expect(await preview.locator('article table').count()).toBe(0)
  await page.getByRole('checkbox', { name: /^Rows/ }).check()
  await expect.poll(() => preview.locator('article tbody tr').count()).toBe(16)
  expect(await seriousIssues(page)).toEqual([])
  await page.getByRole('button', { name: 'Move down: Who is late?' }).click()
  await expect.poll(() => preview.locator('h2').first().innerText()).toBe('And then?')
  await page.getByRole('checkbox', { name: /^Steps/ }).uncheck()
  await expect.poll(() => preview.locator('article').count()).toBe(0)
  const [html] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as HTML' }).click(),
  ])
  const saved = await text(await html.createReadStream())
  expect(html.suggestedFilename()).toBe('Late title script alert(1) script.html')
  expect(saved).toBe(await page.locator('iframe').getAttribute('srcdoc'))
  await page.locator('summary', { hasText: 'Export' }).click()
  const [sql] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /All steps/ }).click(),
  ])
  expect(await text(await sql.createReadStream())).toContain('CREATE OR REPLACE VIEW step_1 AS')
})
