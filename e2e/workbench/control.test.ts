// Controls of a session: editing queued messages, steering, pausing, rewinding and forking.

import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { SessionId, StreamedEvent } from '@quarterdeck/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Browser, openBrowser } from '../support/browser/browser.ts'
import { unnamedElements } from '../support/browser/unnamed-elements.ts'
import { openWorkbench, type Workbench } from '../support/browser/workbench.ts'
import { newFolder, type Served, serve } from '../support/server/serve.ts'
import { isStatus, watchUntil, wholeLog } from '../support/server/watched-session.ts'
import { workerAgent, writeAgent } from '../support/server/write-agent.ts'

const patience = { timeout: 120_000 }

const scenario = `
steps:
  - when: { text: '^slowly' }
    then: { text: One two three four five six seven eight nine ten eleven twelve., pace_ms: 20000 }
    repeat: true
  - when: { text: '^work' }
    then: { text: I work., tools: [{ name: Bash, input: { command: sleep 100 } }] }
    repeat: true
  - when: { text: '^write' }
    then:
      text: I read it first.
      tools: [{ name: Read, input: { file_path: notes.txt } }]
    repeat: true
  - when: { tool_result: { name: Read } }
    then:
      tools:
        - { name: Write, input: { file_path: notes.txt, content: two } }
        - { name: Bash, input: { command: echo shell > shell.txt } }
    repeat: true
  - when: { tool_result: {} }
    then: { text: The tools are done. }
    repeat: true
  - when: { text: 'colour' }
    then: { text: It is teal. }
    repeat: true
  - when: {}
    then: { text: Right away. }
    repeat: true
`

describe('the controls of a session', () => {
  let browser: Browser
  let served: Served
  let workbench: Workbench
  let folder: string

  beforeAll(async () => {
    const script = join(await newFolder('scenario'), 'control.yaml')
    await writeFile(script, scenario)
    const files = 'bash: { enabled: true }\n  file_system: { read: true, write: true }'
    const agent = workerAgent.replace('bash: { enabled: true }', files).replace('max_turns: 3', 'max_turns: 30')
    const agents = await writeAgent(agent)
    folder = dirname(agents)
    await writeFile(join(folder, 'notes.txt'), 'one')
    served = await serve({ agents, args: ['--model-source', 'simulator', '--script', script] })
    browser = await openBrowser()
    workbench = await openWorkbench(browser, served)
  })
  afterAll(async () => {
    await browser?.close()
    await served?.stop()
  })

  async function open(message: string): Promise<SessionId> {
    const { sessionId } = await served.client.createSession({ agent: 'worker', message })
    await workbench.page.goto(`${served.url}/sessions/${sessionId}`)
    await workbench.page.getByLabel('Message worker').waitFor(patience)
    return sessionId
  }

  /** Opens the session and waits for this event and a visible running turn: only then does Enter queue. */
  async function openRunning(message: string, type: StreamedEvent['type']): Promise<SessionId> {
    const sessionId = await open(message)
    await watchUntil(served, sessionId, (event) => event.type === type)
    await workbench.page.getByRole('button', { name: 'Stop' }).waitFor(patience)
    return sessionId
  }

  /** Until the server has answered, the box keeps its text and ignores Enter. Then it takes the focus. */
  async function say(text: string, key: 'Enter' | 'Control+Enter' = 'Enter'): Promise<void> {
    const box = workbench.page.getByLabel('Message worker')
    await box.fill(text)
    await workbench.page.keyboard.press(key)
    await expect.poll(() => box.inputValue(), patience).toBe('')
  }

  /** The text is part of the running turn, which began with another message. */
  async function received(sessionId: SessionId, text: string): Promise<void> {
    let messageId: string | undefined
    await watchUntil(served, sessionId, (event) => {
      if (event.type === 'UserMessageQueued' && event.data.content === text) messageId = event.data.messageId
      return event.type === 'UserMessageDelivered' && event.data.messageId === messageId && event.turnId !== undefined
    })
  }

  async function secondTurnEnded(sessionId: SessionId): Promise<void> {
    let ended = 0
    await watchUntil(served, sessionId, (event) => {
      if (event.type === 'TurnEnded') ended += 1
      return ended === 2
    })
  }

  const contentsOf = async (sessionId: SessionId) =>
    (await served.client.listMessages(sessionId)).messages.map(({ content }) => content)

  async function more(item: RegExp): Promise<void> {
    const { page } = workbench
    await page.locator('header.head summary').click()
    await page.locator('header.head .overlay').getByRole('button', { name: item }).click()
  }

  /** Lets requests through and holds their responses. `release` also removes all other request rules. */
  async function holdResponses(path: RegExp): Promise<{ release(): Promise<void> }> {
    let release: () => void = () => undefined
    const isHeld = new Promise<void>((resolve) => {
      release = resolve
    })
    await workbench.page.route(path, async (route) => {
      const response = await route.fetch()
      await isHeld
      await route.fulfill({ response })
    })
    return {
      async release() {
        release()
        await workbench.page.unrouteAll({ behavior: 'wait' })
      },
    }
  }

  it('queues with Enter while a turn runs; queued messages can be edited, sent first and cancelled', async () => {
    const { page } = workbench
    const sessionId = await openRunning('slowly', 'AgentStreamToken')
    for (const text of ['first thing', 'second thing', 'third thing']) {
      await say(text)
      await page.locator('.queued', { hasText: text }).waitFor(patience)
    }
    expect(await unnamedElements(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit the queued message: second thing' }).click()
    expect(await unnamedElements(page)).toEqual([])
    await page.getByLabel('Change the queued message').fill('second thing, better')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit the queued message: second thing, better' }).waitFor(patience)
    // The page shows the new order before the response arrives, and the next click waits for it.
    const responses = await holdResponses(/promote$/)
    await page.getByRole('button', { name: 'Send first: third thing' }).click()
    await expect.poll(() => page.locator('.queued').first().innerText(), patience).toContain('third thing')
    await page.getByRole('button', { name: 'Cancel the queued message: first thing' }).click()
    await responses.release()
    await expect.poll(() => contentsOf(sessionId), patience).toEqual(['third thing', 'second thing, better'])
    await page.getByRole('button', { name: 'Stop' }).click()
    await watchUntil(served, sessionId, isStatus('idle'))
  })

  it('steers with Ctrl+Enter: the running turn receives the message', async () => {
    const { page } = workbench
    const sessionId = await openRunning('work', 'AgentInvokedTool')
    await say('which colour?', 'Control+Enter')
    await received(sessionId, 'which colour?')
    const log = await wholeLog(served, sessionId)
    const sent = log.find((event) => event.type === 'UserMessageQueued' && event.data.content === 'which colour?')
    expect(sent?.data).toMatchObject({ delivery: 'immediate' })
    expect(log.filter((event) => event.type === 'TurnEnded')).toEqual([])
    await page.getByRole('button', { name: 'Stop' }).click()
    await watchUntil(served, sessionId, isStatus('idle', 'interrupted'))
  })

  it('sends a queued message into the running turn with one click; until then it stays in the queue', async () => {
    const { page } = workbench
    const sessionId = await openRunning('work', 'AgentInvokedTool')
    await say('which colour?')
    await page.locator('.queued', { hasText: 'which colour?' }).getByRole('button', { name: 'Send now' }).click()
    await received(sessionId, 'which colour?')
    const log = await wholeLog(served, sessionId)
    expect(log.find((event) => event.type === 'UserMessagePromoted')?.data).toMatchObject({ delivery: 'immediate' })
    expect(log.filter(({ type }) => type === 'UserMessageCancelled' || type === 'TurnEnded')).toEqual([])
    await page.getByRole('button', { name: 'Stop' }).click()
    await watchUntil(served, sessionId, isStatus('idle', 'interrupted'))
  })

  it('can be stopped while its log is exported, and the delete dialog does not show a failed stop', async () => {
    const { page } = workbench
    const sessionId = await openRunning('slowly', 'AgentStreamToken')
    const responses = await holdResponses(/events\?.*limit=1000/)
    await page.route(/interrupt$/, (route) => route.abort())
    await more(/^Export the log/)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.locator('header.head [role=alert]').waitFor(patience)
    await served.client.interrupt(sessionId)
    await watchUntil(served, sessionId, isStatus('idle', 'interrupted'))
    await more(/^Delete/)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete permanently' }).waitFor(patience)
    expect(await dialog.getByRole('alert').count()).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    const download = page.waitForEvent('download', patience)
    await responses.release()
    expect((await download).suggestedFilename()).toBe(`${sessionId}.jsonl`)
  })

  it('pauses and resumes', async () => {
    const { page } = workbench
    const sessionId = await openRunning('slowly', 'AgentStreamToken')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.locator('.head').getByText('Paused').waitFor(patience)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await watchUntil(served, sessionId, (event) => event.type === 'TurnEnded' && event.data.outcome === 'completed')
    expect((await served.client.getSession(sessionId)).session.lastResult).toBe('Right away.')
  })

  it('previews a rewind, does exactly that, and dims forgotten items', async () => {
    const { page } = workbench
    const sessionId = await open('the colour is teal')
    await watchUntil(served, sessionId, isStatus('idle'))
    await say('write')
    await page.getByText('The tools are done.').first().waitFor(patience)
    await secondTurnEnded(sessionId)
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('two')

    const band = page.locator('.ev', { has: page.locator('.band', { hasText: 'write' }) })
    await band.locator('summary').click()
    await band.getByRole('button', { name: /^Rewind to before this/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('region', { name: 'Will be restored' }).getByText('notes.txt').waitFor(patience)
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('two')
    expect(await unnamedElements(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click()
    await dialog.getByRole('region', { name: 'Restored' }).getByText('notes.txt').waitFor(patience)
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    expect(await readFile(join(folder, 'notes.txt'), 'utf8')).toBe('one')
    await page.locator('.ev.forgotten .band', { hasText: 'write' }).waitFor(patience)
    expect(await page.locator('.ev.forgotten .band', { hasText: 'teal' }).count()).toBe(0)
    const log = await wholeLog(served, sessionId)
    expect(log.map(({ type }) => type)).toEqual(expect.arrayContaining(['FilesRewound', 'AgentSessionRewound']))
  })

  it('forks at a user message with another text, and shows the earlier conversation above', async () => {
    const { page } = workbench
    const parent = await open('hello')
    await watchUntil(served, parent, isStatus('idle'))
    await say('a second message')
    await secondTurnEnded(parent)
    const band = page.locator('.ev', { has: page.locator('.band', { hasText: 'a second message' }) })
    await band.locator('summary').click()
    await band.getByRole('button', { name: /^Fork here/ }).click()
    await page.getByRole('dialog').getByLabel('Message').fill('what colour is it?')
    await page.getByRole('button', { name: 'Fork and send' }).click()
    await page.waitForURL((url) => url.pathname.startsWith('/sessions/') && !url.pathname.endsWith(parent), patience)
    await page.getByText('It is teal.').first().waitFor(patience)
    await page.locator('.ev.earlier .band', { hasText: 'hello' }).waitFor(patience)
    expect(await page.locator('.ev.earlier .band', { hasText: 'a second message' }).count()).toBe(0)
    expect(await unnamedElements(page)).toEqual([])
    await page.getByRole('link', { name: 'Forked from another session' }).click()
    await page.waitForURL((url) => url.pathname.endsWith(parent), patience)
  })

  it('is renamed in place, tagged, archived, exported and deleted', async () => {
    const { page } = workbench
    const sessionId = await open('hello')
    await watchUntil(served, sessionId, isStatus('idle'))
    await page.getByRole('button', { name: 'Rename', exact: true }).first().click()
    await page.getByLabel('Title').fill('A better <b>name</b>')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'A better <b>name</b>' }).waitFor(patience)

    await more(/^Settings/)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Claude (Automatic Selection)').waitFor(patience)
    expect(await unnamedElements(page)).toEqual([])
    await dialog.getByRole('radio', { name: /Automatic Selection/ }).check()
    await dialog.getByRole('radio', { name: /^Asks unless/ }).check()
    await dialog.getByLabel('Tags').fill('red, blue')
    await dialog.getByLabel(/^Turns/).fill('40')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached', ...patience })
    const { session } = await served.client.getSession(sessionId)
    expect(session).toMatchObject({ model: 'auto', permissionMode: 'manual', tags: ['red', 'blue'] })
    expect(session.limits.maxTurns).toBe(40)

    const [download] = await Promise.all([page.waitForEvent('download', patience), more(/^Export the log/)])
    const lines = (await text(await download.createReadStream())).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(await wholeLog(served, sessionId))

    await more(/^Archive/)
    await page.locator('.head').getByText('Archived').waitFor(patience)
    await page.goto(`${served.url}/sessions`)
    await page.getByLabel('Archive', { exact: true }).selectOption('true')
    await page.getByLabel('Title', { exact: true }).fill('better')
    await expect.poll(() => page.locator('a.session-row').count(), patience).toBe(1)
    await page.locator('a.session-row').click()

    await more(/^Delete/)
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.waitForURL(/\/sessions$/, patience)
    await expect(served.client.getSession(sessionId)).rejects.toMatchObject({ code: 'session.not-found' })
    expect(workbench.trouble()).toEqual([])
    expect(workbench.outside()).toEqual([])
  })
})
