// A script that replaces the CLI, for behaviour that the real one shows only when it breaks.
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelCatalog, SessionId } from '@quarterdeck/protocol'
import { silentLogger } from '../../../ports/logger.ts'
import { createCheckpoints } from '../checkpoints/create-checkpoints.ts'
import { claudeFolders } from '../cli/claude-folders.ts'
import { startClaudeProcess } from '../cli/claude-process.ts'
import { createClaudeDriver } from '../turns/claude-driver.ts'
import { createResidentProcess } from '../turns/resident-process.ts'
import { createTranslator } from '../turns/translator.ts'
import { bareIsolation } from './bare-isolation.fixture.ts'

const tools = { setpriv: null, unshare: null, mount: null, mkdir: null, ln: null, stat: null, shell: null }

/** `reply` is the body of a function that receives each SDK message and can answer with `say`. */
export function driveFakeCli(reply: string, resume: string | null) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-stand-in-')))
  const file = join(root, 'cli')
  writeFileSync(file, script(reply))
  chmodSync(file, 0o700)
  const chosen = { model: 'claude-haiku-4-5', permissionMode: 'manual', thinking: null } as const
  const session = { ...chosen, sessionId: SessionId.parse('ses_standin'), modelSource: 'simulator' } as const
  const translator = createTranslator({ ...session, catalog: modelCatalog }, Date.now)
  const processOptions = {
    dataDir: root,
    scratch: join(root, 'scratch'),
    isolation: bareIsolation,
    tools,
    logger: silentLogger,
  }
  const resident = createResidentProcess({
    ...chosen,
    translator,
    resume,
    start: (continued) =>
      startClaudeProcess(
        {
          pathToClaudeCodeExecutable: file,
          cwd: root,
          env: { PATH: '/usr/bin:/bin', QUARTERDECK_PROCESS: 'mark' },
          ...(continued !== null && { resume: continued }),
        },
        {
          ...processOptions,
          marker: 'mark',
          view: { cwd: root, writable: [], locked: [], hidden: [], visible: [], tmp: root },
        },
      ),
  })
  const driver = createClaudeDriver({
    silence: { idleMs: 300, steeredMs: 300, budgetSpentMs: 300 },
    checkpoints: createCheckpoints({ folders: claudeFolders(root), cwd: root, hidden: [] }),
    translator,
    resident,
    onTurn: () => undefined,
    notices: [],
    tools: [],
    isBudgetSpent: () => translator.spentUsd() >= 0.01,
    keyVariable: 'KEY',
    now: Date.now,
    interruptTimeoutMs: 1_000,
  })
  return { driver, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }) }
}

const script = (reply: string) => `#!${process.execPath}
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n')
const answer = ({ request_id }, response) =>
  say({ type: 'control_response', response: { subtype: 'success', request_id, response } })
const idle = { type: 'system', subtype: 'session_state_changed', state: 'idle' }
const running = { ...idle, state: 'running' }
const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1, duration_ms: 1, duration_api_ms: 1,
  total_cost_usd: 0, modelUsage: {}, permission_denials: [], result: 'fine' }
const hear = (message) => { ${reply} }
require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => hear(JSON.parse(line)))
  .on('close', () => process.exit(0))
`
