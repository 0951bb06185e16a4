// Every page at the widths of a phone, a tablet, a small laptop and a desktop, in both themes: nothing scrolls sideways,
// every control can be reached, and the Allow button is visible together with the request.
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCsv, ask, newAnalysis, untilState } from '../data/support/data-page.ts'
import { type Browser, openBrowser, type Page } from '../support/browser/browser.ts'
import { openPage, openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { examples, newFolder, type Served, serve } from '../support/server/serve.ts'
import { allowAll, isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const patience = { timeout: 120_000 }
const widths = [360, 768, 1024, 1440]
const heights: Readonly<Record<number, number>> = { 345: 740, 360: 780, 768: 1024, 1024: 768, 1440: 900 }
const themes = ['light', 'dark'] as const

const keeper = `
name: keeper
model: { provider: anthropic, name: high }
instructions: { inline: You keep notes. }
claude: { permission_mode: manual, bash: { enabled: true }, file_system: { read: true, write: true }, working_directory: project }
tools: [{ type: mcp, name: notes, description: Notes, command: node, args: [notes-server.mjs] }]
approvals: { allow: [mcp__notes__list_notes] }
limits: { max_turns: 20, max_budget_usd: 1 }
`

const longCommand =
  'find . -type f -name "*.a-very-long-suffix-that-does-not-break" -newer reference-file-of-last-week.txt -print0 | ' +
  'xargs -0 grep --line-number --ignore-case "a pattern of some length" | sort --unique --key=2 | tee found.txt'
const longNote = `See https://example.test/${'a-path-without-a-single-space/'.repeat(4)} before Friday.`
const wideLine = (word: string) => `export const settings = { ${`${word}: '${word.repeat(3)}', `.repeat(12)}}`
const rowsQuestion = 'Show me single rows of every sale there is, with all of its columns'

/** Answers the agent and the analysis: the text of a message selects the step. */
const scenario = (project: string): string =>
  JSON.stringify({
    name: 'pages with real content',
    steps: [
      {
        when: { text: '^note' },
        then: {
          tools: [
            {
              name: 'mcp__notes__add_note',
              input: { text: longNote, labels: ['work', 'a-label-of-unusual-length-without-spaces'], due: { day: 5 } },
            },
          ],
        },
      },
      {
        when: { text: '^note', tool_result: {}, calls: 1 },
        then: { tools: [{ name: 'mcp__notes__add_note', input: { text: 'Another note.' } }] },
      },
      { when: { text: '^note', tool_result: {} }, then: { text: 'Two notes.' } },
      { when: { text: '^run' }, then: { tools: [{ name: 'Bash', input: { command: longCommand } }] } },
      {
        when: { text: '^change' },
        then: {
          tools: [{ name: 'Write', input: { file_path: join(project, 'settings.js'), content: wideLine('before') } }],
        },
      },
      {
        when: { text: '^change', tool_result: { name: 'Write' } },
        then: { tools: [{ name: 'Bash', input: { command: 'ls -la' } }] },
      },
      {
        when: { text: '^change', tool_result: { name: 'Bash' } },
        then: { text: `Done. One line is long:\n\n\`\`\`js\n${wideLine('after')}\n\`\`\`` },
      },
      {
        when: { text: 'Invoice' },
        then: {
          structured_output: {
            vendor: 'Harbour Paper',
            number: 'HP-2041',
            total: 118.4,
            currency: 'EUR',
            items: [{ description: `Reams of ${'paper '.repeat(20)}`, quantity: 20 }],
          },
        },
      },
      {
        when: { text: rowsQuestion },
        then: {
          tools: [{ name: 'mcp__client__run_query', input: { thought: 'Look', sql: 'SELECT * FROM sales LIMIT 12' } }],
        },
      },
      {
        when: { text: 'Which region sold most' },
        then: {
          tools: [
            {
              name: 'mcp__client__run_query',
              input: {
                thought: 'Add up the amounts per region',
                sql: 'SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY total DESC',
              },
            },
          ],
        },
      },
      {
        when: { text: 'Which region sold most', tool_result: {} },
        then: {
          tools: [
            {
              name: 'mcp__client__final_answer',
              input: {
                answer: '**North** sold most: 145.',
                chartType: 'bar',
                xAxis: 'region',
                yAxis: 'total',
                sourceStep: 1,
              },
            },
          ],
        },
      },
    ],
  })

const columns = ['region', 'day', 'amount', ...Array.from({ length: 12 }, (_, at) => `a_column_of_some_width_${at}`)]
const sales = [
  columns.join(','),
  ...['North', 'West', 'South', 'East'].flatMap((region, index) =>
    Array.from({ length: 10 }, (_, day) =>
      [
        region,
        `2026-03-${10 + day}`,
        [10, 7, 5, 4][index] ?? 0,
        ...columns.slice(3).map((name) => `${name} ${day}`),
      ].join(','),
    ),
  ),
].join('\n')

let browser: Browser
let served: Served
let workbench: Workbench
let page: Page
const sessions = new Map<string, SessionId>()
const analyses = new Map<string, string>()

beforeAll(async () => {
  const folder = await newFolder('layout')
  const agent = join(folder, 'a-folder-with-a-long-name-without-a-single-space')
  await mkdir(join(agent, 'project'), { recursive: true })
  await writeFile(join(agent, 'agent.yaml'), keeper)
  await cp(join(examples, 'notes', 'notes-server.mjs'), join(agent, 'notes-server.mjs'))
  const script = join(folder, 'scenario.json')
  await writeFile(script, scenario(join(agent, 'project')))
  served = await serve({
    agents: agent,
    args: [
      ...['invoices', 'coder', 'hello', 'analysis'].map((name) => join(examples, name)),
      '--model-source',
      'simulator',
      '--script',
      script,
    ],
  })
  browser = await openBrowser()
  workbench = await openWorkbench(browser, served)
  page = workbench.page
  const begin = async (name: string, agentName: string, message: string) => {
    const { sessionId } = await served.client.createSession({ agent: agentName, message, title: `${name} ${message}` })
    sessions.set(name, sessionId)
    return sessionId
  }
  await watchUntil(served, await begin('mcp', 'keeper', 'note it'), isStatus('waiting_approval'))
  await watchUntil(served, await begin('command', 'keeper', 'run it'), isStatus('waiting_approval'))
  await allowAll(served, await begin('change', 'keeper', 'change it'))
  await watchUntil(served, await begin('structured', 'invoices', 'Invoice HP-2041'), isStatus('idle', 'failed'))

  await page.goto(`${served.url}/data`)
  await addCsv(page, { name: 'sales.csv', text: sales })
  for (const [question, state] of [
    ['Which region sold most', 'done'],
    [rowsQuestion, 'waiting'],
  ] as const) {
    await page.goto(`${served.url}/data`)
    const id = await newAnalysis(page)
    await ask(page, question)
    await untilState(page, id, [question, state])
    analyses.set(state, id)
  }
}, 600_000)
afterAll(async () => {
  await browser?.close()
  await served?.stop()
})

/** Elements that are too wide: the page itself, or a control outside the screen that no scroll bar reaches. */
const tooWide = (of: Page): Promise<readonly string[]> =>
  of.evaluate(() => {
    const page = document.scrollingElement ?? document.documentElement
    const problems: string[] = []
    if (page.scrollWidth > page.clientWidth) problems.push(`the page: ${page.scrollWidth} of ${page.clientWidth}`)
    const scrolls = (element: Element | null): boolean => {
      if (element === null || element === document.body) return false
      const isScroller = /auto|scroll/.test(getComputedStyle(element).overflowX)
      return (isScroller && element.scrollWidth > element.clientWidth) || scrolls(element.parentElement)
    }
    for (const part of document.querySelectorAll('main, main > :not(.visually-hidden), .scroll:not(.out, .diff)')) {
      if (part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowX !== 'visible') {
        const ends = [...part.querySelectorAll('*')].map((one) => ({ one, right: one.getBoundingClientRect().right }))
        const { one } = ends.reduce((most, next) => (next.right > most.right ? next : most))
        problems.push(
          `${part.tagName} ${part.className}: ${part.scrollWidth} of ${part.clientWidth}, ${one.outerHTML.slice(0, 100)}`,
        )
      }
    }
    // A meter that is too wide overlaps the next one.
    for (const meter of document.querySelectorAll('.limits > div')) {
      if (meter.scrollWidth > meter.clientWidth) problems.push(`meter "${meter.textContent}"`)
    }
    for (const control of document.querySelectorAll('button, a, input, textarea, select, summary')) {
      const { left, right, width, height } = control.getBoundingClientRect()
      if (width <= 1 || height <= 1 || (left >= -1 && right <= innerWidth + 1) || scrolls(control)) continue
      if (!control.checkVisibility({ visibilityProperty: true })) continue
      problems.push(`${control.tagName} "${control.textContent?.trim().slice(0, 40)}": ${left} to ${right}`)
    }
    return problems
  })

/** Expects that nothing is too wide. Resizes one page, which is faster than a reload for each width. */
async function atEachWidth(of: Page, check?: (width: number) => Promise<void>, these = widths): Promise<void> {
  for (const theme of themes) {
    await of.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    for (const width of these) {
      await of.setViewportSize({ width, height: heights[width] ?? 900 })
      // Two frames: resize observers run, and then the layout they change.
      await of.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
      expect.soft({ width, theme, tooWide: await tooWide(of) }).toEqual({ width, theme, tooWide: [] })
      await check?.(width)
    }
  }
}

/** Fully visible. Uses hit tests: the bounding box of an element may be on the screen while the element is covered. */
const isInSight = (part: ReturnType<Page['locator']>): Promise<boolean> =>
  part.first().evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    const isDrawnAt = (y: number) => element.contains(document.elementFromPoint((left + right) / 2, y))
    return left >= 0 && right <= innerWidth && isDrawnAt(top + 2) && isDrawnAt(bottom - 2)
  })

/** The request is above the Allow button, and both are fully visible. */
async function expectRequestAboveAllow(width: number): Promise<void> {
  const card = page.locator('article.ask').first()
  const [asked, allow] = [card.locator('.input').first(), card.getByRole('button', { name: 'Allow once' })]
  const seen = { width, asked: await isInSight(asked), allow: await isInSight(allow) }
  expect.soft(seen).toEqual({ width, asked: true, allow: true })
  const [above, below] = [await asked.boundingBox(), await allow.boundingBox()]
  expect.soft((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
}

describe('at every width and in both themes', () => {
  it('the inbox', async () => {
    await page.goto(served.url)
    await page.locator('article.ask').first().waitFor(patience)
    await page.locator('a.session-row').first().waitFor(patience)
    // The waiting analysis is counted and listed.
    await page.getByText(/^3 waiting, /).waitFor(patience)
    await page.locator('.item', { hasText: 'Wants to see rows of your files' }).waitFor(patience)
    await atEachWidth(page, expectRequestAboveAllow, [345, ...widths])
    // Again with every item open.
    for (const item of await page.getByRole('button', { name: /^Review: / }).all()) await item.click()
    await atEachWidth(page, undefined, [345, ...widths])
  })

  it('the list of sessions', async () => {
    await page.goto(`${served.url}/sessions`)
    const title = page.locator('a.session-row b').first()
    await title.waitFor(patience)
    await atEachWidth(page, async (width) => {
      const { width: shown = 0 } = (await title.boundingBox()) ?? {}
      expect.soft({ width, isReadable: shown >= 120 }).toEqual({ width, isReadable: true })
    })
  })

  it.each(['mcp', 'command'])(
    'a session that waits for approval of a call (%s) shows it above Allow, and Stop',
    async (name) => {
      await page.goto(`${served.url}/sessions/${sessions.get(name)}`)
      await page.locator('article.ask').waitFor(patience)
      await atEachWidth(page, async (width) => {
        await expectRequestAboveAllow(width)
        expect.soft(await isInSight(page.locator('.head').getByRole('button', { name: 'Stop' }))).toBe(true)
      })
    },
  )

  it.each(['change', 'structured'])('a session with an answer (%s)', async (name) => {
    await page.goto(`${served.url}/sessions/${sessions.get(name)}`)
    await page.locator('.outcome, .log div.tool-head').first().waitFor(patience)
    await page.locator('button.tool-head[aria-expanded=false], summary.outcome-file').evaluateAll((heads) => {
      for (const head of heads) (head as HTMLElement).click()
    })
    await atEachWidth(page)
    for (const tab of ['Agents', 'About']) {
      await page.setViewportSize({ width: 360, height: 780 })
      await page
        .getByRole('navigation', { name: 'Views' })
        .getByRole('button', { name: new RegExp(`^${tab}`) })
        .click()
      await atEachWidth(page)
    }
  })

  it('the page of Data', async () => {
    await page.goto(`${served.url}/data`)
    await page.getByText('sales').first().waitFor(patience)
    await atEachWidth(page)
  })

  it.each(['ask', 'profile', 'report', 'sql'])('an analysis, %s', async (tab) => {
    await page.goto(`${served.url}/data/${analyses.get('done')}?tab=${tab}`)
    await page
      .getByRole('log', { name: 'Questions and answers' })
      .or(page.locator('main.analysis section'))
      .first()
      .waitFor(patience)
    await atEachWidth(page)
  })

  it('an analysis that waits for approval', async () => {
    await page.goto(`${served.url}/data/${analyses.get('waiting')}`)
    // After a reload the page runs the query again before it asks again.
    await page.getByText(/^Running/).waitFor({ ...patience, state: 'hidden' })
    await page.getByRole('button', { name: 'Allow these rows' }).waitFor(patience)
    await atEachWidth(page, async (width) => {
      expect.soft({ width, asked: await isInSight(page.locator('article.ask .input')) }).toEqual({ width, asked: true })
      // On a phone the column names push the button below the first screen.
      if (width === 360) return
      const allow = await isInSight(page.getByRole('button', { name: 'Allow these rows' }))
      expect.soft({ width, allow }).toEqual({ width, allow: true })
    })
  })

  it('one click allows every call of an MCP tool, and the next call with other arguments runs', async () => {
    const { client } = served
    const sessionId = sessions.get('mcp')
    if (sessionId === undefined) throw new Error('there is no such session')
    await page.goto(`${served.url}/sessions/${sessionId}`)
    await page.getByRole('button', { name: 'Allow this tool (mcp__notes__add_note) this session' }).click()
    await watchUntil(served, sessionId, isStatus('idle'))
    const { session } = await client.getSession(sessionId)
    expect(session.rules).toEqual([{ tool: 'mcp__notes__add_note', pattern: null }])
    const asked = (await wholeLog(served, sessionId)).filter(({ type }) => type === 'ApprovalRequested')
    const done = (await wholeLog(served, sessionId)).filter(({ type }) => type === 'ToolExecuted')
    expect([asked.length, done.length]).toEqual([1, 2])
    // One row for each of the two calls, none for the approval.
    await page.locator('.log .tool').nth(1).waitFor(patience)
    expect(await page.locator('.log .tool').count()).toBe(2)
    expect(await page.locator('.log .settled-line').count()).toBe(0)
  })

  it('unknown addresses and the sign-in page', async () => {
    for (const path of ['/no/such/page', '/sessions/nonsense', '/data/nonsense']) {
      await page.goto(served.url + path)
      await page.getByRole('heading').first().waitFor(patience)
      await atEachWidth(page)
    }
    const stranger = await openPage(browser, served.url)
    await stranger.page.getByRole('heading', { name: 'Sign in' }).waitFor(patience)
    await atEachWidth(stranger.page)
    await stranger.close()
    expect(workbench.trouble()).toEqual([])
  })
})
