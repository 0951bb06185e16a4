// A conversation at a real terminal: tmux holds one, types like a person and reads the screen.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { checkout, cleanEnvironment, command, newFolder } from './served.ts'

const hasTmux = spawnSync('tmux', ['-V']).status === 0
if (!hasTmux) console.warn('skipped: the chat at a terminal needs tmux, which is not installed here')

const patience = { timeout: 90_000 }
const slowWords = fileURLToPath(new URL('scenarios/slow-words.yaml', import.meta.url))

interface Terminal {
  type(text: string): void
  /** A key by the name tmux gives it. */
  press(key: string): void
  screen(): string
  close(): void
}

const open: Terminal[] = []
async function openTerminal(args: readonly string[]): Promise<Terminal> {
  const home = await newFolder('terminal')
  // A server of its own: whatever else runs in tmux here is not touched.
  const server = ['-S', join(home, 'tmux'), '-f', '/dev/null']
  const tmux = (...rest: readonly string[]) => spawnSync('tmux', [...server, ...rest], { encoding: 'utf8' })
  const { CI: _ci, ...env } = await cleanEnvironment(home)
  const variables = Object.entries({ ...env, TERM: 'screen', LANG: 'C.UTF-8' }).map(
    ([name, value]) => `${name}=${value}`,
  )
  const line = [process.execPath, command, ...args].map((word) => `'${word}'`).join(' ')
  const shell = `${line}; echo "ended with $?"; sleep 600`
  const started = tmux('new-session', '-d', '-x', '150', '-y', '60', 'env', '-i', ...variables, 'sh', '-c', shell)
  if (started.status !== 0) throw new Error(started.stderr)
  const terminal = {
    type: (text: string) => void tmux('send-keys', '-l', text),
    press: (key: string) => void tmux('send-keys', key),
    // The whole history: what scrolled away was said too.
    screen: () => tmux('capture-pane', '-p', '-J', '-S', '-').stdout.trimEnd(),
    close: () => void tmux('kill-server'),
  }
  open.push(terminal)
  return terminal
}

afterEach(() => {
  for (const terminal of open.splice(0)) terminal.close()
})

const sees = (terminal: Terminal, words: RegExp) => expect.poll(() => terminal.screen(), patience).toMatch(words)

describe.runIf(hasTmux)('quarterdeck chat at a terminal', () => {
  it('asks for approvals inline with the whole command, and takes allow, edit and deny', async () => {
    const dataDir = join(await newFolder('data'), 'data')
    const coder = join(checkout, 'examples', 'coder')
    const terminal = await openTerminal(['chat', coder, '--model-source', 'simulator', '--data', dataDir])
    await sees(terminal, /\/help for commands/)
    await sees(terminal, /›$/)
    terminal.type('Find and fix the failing test.')
    terminal.press('Enter')
    await sees(terminal, /Bash needs approval[\s\S]*node --test[\s\S]*\[y\] allow once/)
    terminal.type('e')
    terminal.press('Enter')
    await sees(terminal, /new command:/)
    terminal.type('node --test --test-concurrency=1')
    terminal.press('Enter')
    await sees(terminal, /Edit needs approval[\s\S]*item\.price \* item\.quantity[\s\S]*\[n\] deny/)
    terminal.type('n')
    terminal.press('Enter')
    await sees(terminal, /a word to the agent/)
    terminal.type('Not today.')
    terminal.press('Enter')
    await sees(terminal, /I was not allowed to[\s\S]*Not today\./)
    await sees(terminal, /simulator \(as claude-\S+\) · .* in, .* out · \$0\.\d+/)
    terminal.type('/quit')
    terminal.press('Enter')
    await sees(terminal, /go on later: quarterdeck chat .* --resume ses_/)
    await sees(terminal, /ended with 0/)
  })

  it('Ctrl-C interrupts the turn, the conversation goes on, and a second one leaves', async () => {
    const dataDir = join(await newFolder('data'), 'data')
    const hello = join(checkout, 'examples', 'hello')
    const flags = ['--model-source', 'simulator', '--script', slowWords, '--data', dataDir]
    const terminal = await openTerminal(['chat', hello, ...flags])
    await sees(terminal, /›$/)
    terminal.type('Count slowly.')
    terminal.press('Enter')
    await sees(terminal, /^One/m)
    terminal.press('C-c')
    await sees(terminal, /interrupting…/)
    await sees(terminal, /interrupted[\s\S]*›$/)
    terminal.type('And now?')
    terminal.press('Enter')
    await sees(terminal, /Right away\./)
    await sees(terminal, /Right away\.[\s\S]*›$/)
    terminal.press('C-c')
    await sees(terminal, /go on later:/)
    await sees(terminal, /ended with \d/)
  })

  it('a second Ctrl-C while the turn is being interrupted leaves at once', async () => {
    const dataDir = join(await newFolder('data'), 'data')
    const hello = join(checkout, 'examples', 'hello')
    const flags = ['--model-source', 'simulator', '--script', slowWords, '--data', dataDir]
    const terminal = await openTerminal(['chat', hello, ...flags])
    await sees(terminal, /›$/)
    terminal.type('Count slowly.')
    terminal.press('Enter')
    await sees(terminal, /^One/m)
    terminal.press('C-c')
    terminal.press('C-c')
    await sees(terminal, /ended with \d/)
  })
})
