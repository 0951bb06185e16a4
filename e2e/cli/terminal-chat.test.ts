// A conversation in a real terminal.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, it } from 'vitest'
import { checkout, newFolder } from '../support/server/serve.ts'
import { enter, hasTmux, openTerminal, sees, type Terminal } from '../support/terminal/terminal.ts'

if (!hasTmux) console.warn('skipped: the chat at a terminal needs tmux, which is not installed here')

const slowWords = fileURLToPath(new URL('../scenarios/slow-words.yaml', import.meta.url))

const open: Terminal[] = []
afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close()
})

async function startChat(example: string, ...flags: readonly string[]): Promise<Terminal> {
  const dataDir = join(await newFolder('data'), 'data')
  const agent = join(checkout, 'examples', example)
  const terminal = await openTerminal(['chat', agent, '--model-source', 'simulator', '--data', dataDir, ...flags])
  open.push(terminal)
  await sees(terminal, /›$/)
  return terminal
}

/** During a turn that would take long. */
async function startCounting(): Promise<Terminal> {
  const terminal = await startChat('hello', '--script', slowWords)
  enter(terminal, 'Count slowly.')
  await sees(terminal, /^One/m)
  return terminal
}

describe.runIf(hasTmux)('quarterdeck chat in a terminal', () => {
  it('asks for approvals inline with the full command, and accepts allow, edit and deny', async () => {
    const terminal = await startChat('coder')
    await sees(terminal, /\/help lists commands/)
    enter(terminal, 'Find and fix the failing test.')
    await sees(terminal, /Bash needs approval[\s\S]*node --test[\s\S]*\[y\] allow once/)
    enter(terminal, 'e')
    await sees(terminal, /new command: node --test/)
    enter(terminal, ' --test-concurrency=1')
    await sees(terminal, /Edit needs approval[\s\S]*item\.price \* item\.quantity[\s\S]*\[n\] deny/)
    enter(terminal, 'n')
    await sees(terminal, /note for the agent/)
    enter(terminal, 'Not today.')
    await sees(terminal, /I was not allowed to[\s\S]*Not today\./)
    await sees(terminal, /simulator \(as claude-\S+\) · .* in, .* out · \$0\.\d+/)
    enter(terminal, '/quit')
    await sees(terminal, /continue later: .*quarterdeck(\.mjs)? chat .* --resume ses_/)
    await sees(terminal, /ended with 0/)
  })

  it('interrupts the turn on Ctrl-C, continues the conversation, and exits on the second Ctrl-C', async () => {
    const terminal = await startCounting()
    terminal.press('C-c')
    await sees(terminal, /interrupting…/)
    await sees(terminal, /interrupted[\s\S]*›$/)
    enter(terminal, 'And now?')
    await sees(terminal, /Right away\./)
    await sees(terminal, /Right away\.[\s\S]*›$/)
    terminal.press('C-c')
    await sees(terminal, /continue later:/)
    await sees(terminal, /ended with \d/)
  })

  it('exits at once on a second Ctrl-C while the turn is being interrupted', async () => {
    const terminal = await startCounting()
    terminal.press('C-c')
    terminal.press('C-c')
    await sees(terminal, /ended with \d/)
  })
})
