// Open requests are settled in the inbox: questions and stopped budgets, even by two users at once.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { unnamedElements } from '../support/browser/unnamed-elements.ts'
import { openPage, openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { newFolder, type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { workerAgent, writeAgent } from '../support/server/write-agent.ts'

const patience = { timeout: 120_000 }

const scenario = `
steps:
  - when: { text: '^ask' }
    then:
      tools:
        - name: AskUserQuestion
          input:
            questions:
              - question: Which <b>colour</b>?
                header: Colour
                multiSelect: false
                options: [{ label: red, description: warm }, { label: blue, description: cool }]
              - question: Which sizes?
                header: Sizes
                multiSelect: true
                options: [{ label: S, description: small }, { label: M, description: medium }]
    repeat: true
  - when: { tool_result: { name: AskUserQuestion } }
    then: { text: I heard you. }
    repeat: true
  - when: { text: '^spend' }
    then:
      text: I spend.
      tools: [{ name: Bash, input: { command: echo spent } }]
      usage: { input_tokens: 60000, output_tokens: 2000 }
    repeat: true
  - when: { tool_result: { name: Bash } }
    then:
      text: I spend more.
      tools: [{ name: Bash, input: { command: echo spent } }]
      usage: { input_tokens: 60000, output_tokens: 2000 }
  - when: {}
    then: { text: Enough now. }
    repeat: true
`

describe('the inbox', () => {
  let browser: Browser
  let served: Served
  let workbench: Workbench

  beforeAll(async () => {
    const script = join(await newFolder('scenario'), 'people.yaml')
    await writeFile(script, scenario)
    const agents = await writeAgent(workerAgent.replace('max_turns: 3', 'max_turns: 30'))
    served = await serve({ agents, args: ['--model-source', 'simulator', '--script', script] })
    browser = await openBrowser()
    workbench = await openWorkbench(browser, served)
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  async function ask(): Promise<Awaited<ReturnType<Served['client']['createSession']>>> {
    const session = await served.client.createSession({ agent: 'worker', message: 'ask me' })
    await watchUntil(served, session.sessionId, isStatus('waiting_user'))
    return session
  }

  it('reports that nothing needs attention', async () => {
    await workbench.page.getByText('Nothing needs your attention.').waitFor(patience)
  })

  it('answers two questions of one card by keyboard, with an option and with free text', async () => {
    const { page, trouble } = workbench
    const { sessionId } = await ask()
    const card = page.locator('article.ask')
    await card.waitFor(patience)
    // Markup in a question is shown as text.
    await card.getByText('Which <b>colour</b>?').waitFor(patience)
    expect(await unnamedElements(page)).toEqual([])
    const send = card.getByRole('button', { name: 'Send answers' })
    expect(await send.isDisabled()).toBe(true)

    await card.getByRole('radio', { name: /^red/ }).focus()
    await page.keyboard.press('ArrowDown')
    expect(await card.getByRole('radio', { name: /^blue/ }).isChecked()).toBe(true)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await card.getByRole('checkbox', { name: /^S/ }).first().isChecked()).toBe(true)
    await card.getByRole('checkbox', { name: 'Something else' }).focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.type('XXL')
    await page.keyboard.press('Tab')
    expect(await send.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await watchUntil(served, sessionId, isStatus('idle'))

    const log = await wholeLog(served, sessionId)
    const answered = log.find((event) => event.type === 'QuestionAnswered')
    expect(answered?.data).toMatchObject({
      answers: { 'Which <b>colour</b>?': 'blue', 'Which sizes?': ['S', 'XXL'] },
      wasLive: true,
    })
    await page.getByText('Nothing needs your attention.').waitFor(patience)
    expect(trouble()).toEqual([])
  })

  it('lets a user decline with a reason, in the session itself', async () => {
    const { page } = workbench
    const { sessionId } = await ask()
    await page.goto(`${served.url}/sessions/${sessionId}`)
    const card = page.locator('article.ask')
    await card.getByRole('button', { name: 'Decline' }).click()
    await page.keyboard.type('Choose for me.')
    await card.getByRole('button', { name: 'Decline to answer' }).click()
    await watchUntil(served, sessionId, isStatus('idle'))
    await page.getByText(/^Declined by /).waitFor(patience)
    await page.getByText('“Choose for me.”').waitFor(patience)
    await page.goto(served.url)
  })

  it('tells the slower of two users who answered first', async () => {
    await ask()
    const { page } = workbench
    const other = await openPage(browser, served.url)
    await other.page.context().addCookies(await page.context().cookies())
    await other.page.goto(served.url)
    // The second page gets no updates, so it still shows the question.
    for (const one of [page, other.page]) await one.locator('article.ask').waitFor(patience)
    const isCutOff = other.page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/inbox'))
    await other.page.route('**/v1/inbox', (route) => route.abort())
    // The page polls one request at a time: no earlier request is still in flight.
    await isCutOff
    for (const one of [page, other.page]) {
      const card = one.locator('article.ask')
      await card.getByRole('radio', { name: /^red/ }).check()
      await card.getByRole('checkbox', { name: /^M/ }).check()
    }
    await page.getByRole('button', { name: 'Send answers' }).click()
    await page.getByText('Nothing needs your attention.').waitFor(patience)
    await other.page.getByRole('button', { name: 'Send answers' }).click()
    await other.page.getByText(/Already answered by .+\. The session’s log shows it\./).waitFor(patience)
    await other.close()
  })

  it('raises the limit of a session without budget with one click, and the session continues', async () => {
    const { page } = workbench
    const { sessionId } = await served.client.createSession({
      agent: 'worker',
      message: 'spend it',
      title: 'Costly',
      limits: { maxBudgetUsd: 0.3 },
    })
    await watchUntil(served, sessionId, isStatus('stopped_budget'))
    const card = page.locator('article.ask')
    await card.getByText(/ of \$0\.30 is spent/).waitFor(patience)
    expect(await unnamedElements(page)).toEqual([])
    const field = card.getByLabel('New limit in dollars')
    await field.fill('0.1')
    expect(await card.getByRole('button', { name: /^Must be above/ }).isDisabled()).toBe(true)
    await field.fill('0.9')
    await page.keyboard.press('Enter')
    await page.getByText('Nothing needs your attention.').waitFor(patience)
    await watchUntil(served, sessionId, isStatus('idle'))
    const { session } = await served.client.getSession(sessionId)
    expect(session.limits.maxBudgetUsd).toBe(0.9)
    expect(session.lastResult).toBe('Enough now.')
  })

  it('raises the budget that stopped a session, keeps typed input across a rename, and names the next budget', async () => {
    const { page } = workbench
    const { client } = served
    const about = { scope: 'agent', subject: 'worker', limit: 0.0001 } as const
    await client.createBudget({ ...about, period: 'month' })
    await client.createBudget({ ...about, period: 'day' })
    const { sessionId } = await client.createSession({ agent: 'worker', message: 'anything', title: 'Held' })
    await watchUntil(served, sessionId, isStatus('stopped_budget'))
    const card = page.locator('article.ask')
    const raise = async (limit: string) => {
      await card.getByLabel('New limit in dollars').fill(limit)
      await client.changeSession(sessionId, { title: `Held until ${limit}` })
      await card.getByText(`Held until ${limit}`).waitFor(patience)
      expect(await card.getByLabel('New limit in dollars').inputValue()).toBe(limit)
      await card.getByRole('button', { name: /^Raise to/ }).click()
    }
    const shown = card.locator('b', { hasText: /^agent worker per/ })
    const first = await shown.innerText(patience)
    await raise('50')
    await expect.poll(() => shown.innerText(patience), patience).not.toBe(first)
    expect(await card.getByLabel('New limit in dollars').isEnabled()).toBe(true)
    expect(await unnamedElements(page)).toEqual([])
    await raise('60')
    await page.getByText('Nothing needs your attention.').waitFor(patience)
    await watchUntil(served, sessionId, isStatus('idle'))
    expect(workbench.trouble()).toEqual([])
    expect(workbench.outside()).toEqual([])
  })
})
