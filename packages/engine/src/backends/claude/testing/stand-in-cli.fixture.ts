// A script in the CLI's place, for what the real one does only when it breaks.
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { modelCatalog, SessionId } from '@quarterdeck/protocol'
import { silentLogger } from '../../../telemetry/logger.ts'
import type { TurnDriver } from '../../create-agent-session.ts'
import { createCheckpoints } from '../checkpoints/create-checkpoints.ts'
import { createClaudeDriver } from '../claude-driver.ts'
import { startClaudeProcess } from '../claude-process.ts'
import { claudeFolders } from '../folders.ts'
import { createResidentProcess } from '../resident-process.ts'
import { createTranslator } from '../translator.ts'
import { bareIsolation } from './bare-isolation.fixture.ts'

export interface StandIn {
  readonly driver: TurnDriver
  remove(): void
}

const tools = { setpriv: null, unshare: null, mount: null, mkdir: null, ln: null, stat: null, shell: null }

/** `reply` is the body of a function that gets each message of the SDK and can `say` something back. */
export function driveStandIn(reply: string, resume: string | null): StandIn {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'quarterdeck-stand-in-')))
  const file = join(root, 'cli')
  writeFileSync(file, script(reply))
  chmodSync(file, 0o700)
  const chosen = { model: 'claude-haiku-4-5', permissionMode: 'manual', thinking: null } as const
  const session = { ...chosen, sessionId: SessionId.parse('ses_standin'), modelSource: 'simulator' } as const
  const translator = createTranslator({ ...session, catalog: modelCatalog }, Date.now)
  const place = { dataDir: root, scratch: join(root, 'scratch'), isolation: bareIsolation, tools, logger: silentLogger }
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
        { ...place, marker: 'mark', view: { cwd: root, writable: [], locked: [], hidden: [], visible: [], tmp: root } },
      ),
  })
  const driver = createClaudeDriver({
    silence: { idleMs: 300, steeredMs: 300, brokeMs: 300 },
    checkpoints: createCheckpoints({ folders: claudeFolders(root), cwd: root, hidden: [] }),
    ...{
      translator,
      resident,
      onTurn: () => undefined,
      notices: [],
      tools: [],
      isBroke: () => translator.spentUsd() >= 0.01,
      keyVariable: 'KEY',
      now: Date.now,
      interruptPatienceMs: 1_000,
    },
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
