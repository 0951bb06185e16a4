// The first steps of a new user, in a real browser.
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SessionId } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { openPage, openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { processesMentioning } from '../support/server/process-tree.ts'
import { checkout, cleanEnvironment, newFolder } from '../support/server/serve.ts'
import { type ServedProcess, serveProcess } from '../support/server/serve-process.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'

const patience = { timeout: 120_000 }

describe('the first five minutes', () => {
  let browser: Browser
  let served: ServedProcess
  let workbench: Workbench
  let sessionId: SessionId

  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await served?.kill('SIGKILL')
  })

  it('npm start reports its steps and ends with a link', async () => {
    served = await serveProcess({ isNpmStart: true, hasSpares: true })
    const output = served.output()
    expect(output).toContain('Quarterdeck on Node')
    expect(output).toMatch(/no key.*simulator.*nothing is sent anywhere/i)
    expect(output).toMatch(/agent coder/)
    expect(output).toMatch(/agent hello/)
    expect(output).toContain('This link signs your browser in')
  })

  it('the link signs in once, and a second use elsewhere is refused with instructions', async () => {
    workbench = await openWorkbench(browser, served)
    expect(new URL(workbench.page.url()).pathname).toBe('/')
    const second = await openPage(browser, served.loginLink)
    await second.page.getByRole('heading', { name: 'This sign-in link no longer works' }).waitFor(patience)
    expect(await second.page.locator('body').innerText()).toContain('npm start')
    await second.page.goto(served.url)
    await second.page.getByRole('heading', { name: 'Sign in' }).waitFor(patience)
    expect(second.trouble()).toEqual([])
    await second.close()
  })

  it('the first page is never empty: agents to start, next steps, and planned features', async () => {
    const { page } = workbench
    for (const agent of ['coder', 'hello']) {
      const card = page.locator(`section[data-agent="${agent}"]`)
      await card.waitFor(patience)
      expect(await card.getByRole('button', { name: /^Start / }).count()).toBeGreaterThan(0)
    }
    const offered = await page
      .locator('section[data-agent]')
      .evaluateAll((cards) => cards.map((card) => card.getAttribute('data-agent')))
    expect(offered).toEqual(['hello', 'coder', 'support', 'netbox', 'notes', 'invoices', 'analysis'])
    await page.getByText('Nothing needs your attention').waitFor(patience)
    await page.getByText('Local simulator:').waitFor(patience)
    const side = page.getByRole('complementary', { name: 'Next steps' })
    await side.getByText('ANTHROPIC_API_KEY').waitFor(patience)
    await side.getByRole('heading', { name: 'Not available yet' }).waitFor(patience)
    expect(await side.innerText()).toMatch(/Tests.*Costs/s)
    expect(workbench.trouble()).toEqual([])
  })

  it('one click starts Coder: its text streams, a subagent is in the tree, and a command waits for approval', async () => {
    const { page } = workbench
    await recordStreaming(page)
    const clickedAt = performance.now()
    await page.getByRole('button', { name: 'Start coder: Find and fix the failing test.' }).click()
    await page.waitForURL(/\/sessions\/ses_/, patience)
    sessionId = SessionId.parse(new URL(page.url()).pathname.split('/').at(-1))
    await expect.poll(() => streamedTexts(page), patience).not.toEqual([])
    console.info(`coder: first words on the page ${Math.round(performance.now() - clickedAt)} ms after the click`)
    await page.locator('.tree [data-agent="explorer"]').waitFor(patience)
    const ask = page.locator('article.ask')
    await ask.waitFor(patience)
    expect(await ask.locator('.input').first().innerText()).toBe('node --test')
    await page.getByText('Needs approval').first().waitFor(patience)
    // Growing text proves that it streams.
    const lengths = (await streamedTexts(page)).map((text) => text.length)
    expect(new Set(lengths).size).toBeGreaterThan(1)
    expect(await focusedName(page)).not.toMatch(/allow/i)
  })

  it('killing the server: the page reports it, reconnects by itself, and the approval is still open', async () => {
    const { page } = workbench
    await page.evaluate(() => {
      document.documentElement.dataset.sameDocument = 'yes'
    })
    await page.getByText('Try this: kill the server.').waitFor(patience)
    const port = Number(new URL(served.url).port)
    await served.kill('SIGKILL')
    await page.locator('[data-connection="reconnecting"]').waitFor(patience)
    await page.getByText('Connection lost. Reconnecting; no events are lost.').waitFor(patience)
    await expect.poll(() => processesMentioning(served.dataDir), { timeout: 60_000 }).toEqual([])
    served = await serveProcess({ isNpmStart: true, hasSpares: true, dataDir: served.dataDir, port })
    expect(new URL(served.url).port).toBe(String(port))
    await page.locator('[data-connection="live"]').waitFor(patience)
    await page.getByText('Connection lost.').waitFor({ state: 'detached', ...patience })
    await page
      .locator('.notice', { hasText: 'The server restarted and recovered this session from the log.' })
      .waitFor(patience)
    expect(await page.evaluate(() => document.documentElement.dataset.sameDocument)).toBe('yes')
    expect(await page.locator('article.ask .input').first().innerText()).toBe('node --test')
  })

  it('Allow still works, and the turn ends with the diff, the passing test and the cost', async () => {
    const { page } = workbench
    await allowOnPage(workbench, served, sessionId)
    const outcome = page.getByRole('region', { name: 'What this turn changed' })
    await outcome.waitFor(patience)
    await page.getByText('All tests are green now: 3 of 3 pass.').first().waitFor(patience)
    // The diff is shown once: the outcome lists the file with its diff collapsed.
    const fix = 'sum + item.price * item.quantity'
    expect((await page.locator('.log').innerText()).split(fix)).toHaveLength(2)
    await outcome.locator('summary', { hasText: 'src/cart.js' }).click()
    const text = await outcome.innerText()
    expect(text).toContain(fix)
    expect(text).toMatch(/node --test\s*exit 0/)
    expect(text).toMatch(/\$0\.\d+/)
    const costs = page.getByRole('region', { name: 'Cost by model' })
    expect(await costs.innerText()).toMatch(/Total.*\$0\.\d+/s)
    const log = await wholeLog(served, sessionId)
    const runs = log.filter((event) => event.type === 'ToolExecuted' && event.data.toolName === 'Bash')
    expect(runs).toHaveLength(2)
    expect(workbench.trouble()).toEqual([])
    expect(workbench.outside()).toEqual([])
  })

  it('next steps: the key, the path of the agent file, and programs with the real session id', async (context) => {
    const { page } = workbench
    const steps = page.getByRole('region', { name: 'Next steps' })
    await steps.getByText('export ANTHROPIC_API_KEY').waitFor(patience)
    await steps.getByText(join(checkout, 'examples', 'coder', 'agent.yaml')).waitFor(patience)
    const curl = await steps.locator('.code', { hasText: 'curl -X POST' }).innerText()
    expect(curl).toContain(`/v1/sessions/${sessionId}/messages`)
    if (spawnSync('curl', ['--version']).status !== 0) context.skip('the command shown needs curl, not installed here')
    const [say, watch] = curl.split('\n\n')
    const before = (await wholeLog(served, sessionId)).length
    const answer = JSON.parse((await runShell(say ?? '')).stdout)
    expect(answer.sessionId).toBe(sessionId)
    expect(answer.appliedSeq).toBeGreaterThan(before)
    await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > before && isStatus('idle')(event))
    const { stdout } = await runShell(watch ?? '', (text) => text.includes('What have you done so far?'))
    expect(stdout).toContain(`id: ${before + 1}\n`)
  })

  it('the displayed TypeScript program runs unchanged', async () => {
    const steps = workbench.page.getByRole('region', { name: 'Next steps' })
    await steps.getByRole('button', { name: 'TypeScript' }).click()
    const program = await steps.locator('.code', { hasText: 'createClient' }).innerText()
    expect(program).toContain(sessionId)
    const folder = join(checkout, 'e2e', 'results')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'next-step.mjs'), program)
    const before = (await wholeLog(served, sessionId)).length
    await runShell(`node ${join(folder, 'next-step.mjs')}`, (text) => text.includes(`seq: ${before + 1},`))
    await watchUntil(served, sessionId, (event) => 'seq' in event && event.seq > before && isStatus('idle')(event))
  })
})

/** Records every state of a streaming message, so that a short stream cannot be missed. */
async function recordStreaming(page: Workbench['page']): Promise<void> {
  await page.evaluate(() => {
    const texts: string[] = []
    Object.assign(window, { streamedTexts: texts })
    new MutationObserver(() => {
      const text = document.querySelector('.say.streaming')?.textContent
      if (text && text !== texts.at(-1)) texts.push(text)
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
}

const streamedTexts = (page: Workbench['page']): Promise<readonly string[]> =>
  page.evaluate(() => (Reflect.get(window, 'streamedTexts') as string[] | undefined) ?? [])

const focusedName = (page: Workbench['page']): Promise<string> =>
  page.evaluate(() => document.activeElement?.textContent?.trim().slice(0, 80) ?? '')

/** Clicks Allow once for each approval until the session is idle. */
async function allowOnPage({ page }: Workbench, served: ServedProcess, sessionId: SessionId): Promise<void> {
  const allow = page.locator('article.ask').getByRole('button', { name: 'Allow once' })
  const pressed = new Set<string>()
  const rests = async () => (await served.client.getSession(sessionId)).session.status === 'idle'
  await expect
    .poll(async () => {
      const asked = await page
        .locator('article.ask')
        .first()
        .getAttribute('data-approval', { timeout: 1000 })
        .catch(() => null)
      if (asked !== null && !pressed.has(asked)) {
        pressed.add(asked)
        await allow.first().click()
      }
      return rests()
    }, patience)
    .toBe(true)
  expect(pressed.size).toBeGreaterThan(1)
}

/** Runs a pasted shell command until it exits or has printed enough. */
async function runShell(line: string, isEnough: (stdout: string) => boolean = () => false) {
  const env = await cleanEnvironment(await newFolder('shell'))
  return new Promise<{ stdout: string }>((resolve, reject) => {
    const child = spawn('bash', ['-c', `exec ${line.replace(/^#.*\n/, '')}`], { env, cwd: checkout })
    let stdout = ''
    let stderr = ''
    const deadline = setTimeout(() => child.kill('SIGKILL'), 120_000)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text
    })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (isEnough(stdout)) child.kill('SIGTERM')
    })
    child.on('close', (code) => {
      clearTimeout(deadline)
      if (code === 0 || isEnough(stdout)) resolve({ stdout })
      else reject(new Error(`${line}\nended with ${code}:\n${stdout}\n${stderr}`))
    })
  })
}
