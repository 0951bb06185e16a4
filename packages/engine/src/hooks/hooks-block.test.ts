// `hooks:` from the text of an agent file to what its scripts see.
import { join } from 'node:path'
import type { SessionId } from '@quarterdeck/protocol'
import { expect, it } from 'vitest'
import { minimalAgent, tempProject } from '../config/testing/temp-project.ts'
import { probeIsolation } from '../isolation/probe-isolation.ts'
import { silentLogger } from '../ports/logger.ts'
import { createAgentHooks } from './agent-hooks.ts'

const sessionId = 'ses_hooked0' as SessionId // a literal that matches the id's shape
const context = { sessionId, signal: new AbortController().signal }

const tell = `
import { readFileSync } from 'node:fs'
let file = 'hidden'
try { file = readFileSync('.env', 'utf8') } catch {}
console.log(JSON.stringify({ env: process.env, file, cwd: process.cwd(), args: process.argv.slice(2) }))
`

/** What a script of this hook sees beside an .env with more than it is given. */
async function seen(fields: string) {
  const hook = `hooks:\n  - { event: PreToolUse, action: script, command: node, ${fields} }\n`
  const project = await tempProject({
    'agent.yaml': `${minimalAgent}${hook}`,
    '.env': 'GIVEN=one\nKEPT=made-up-token\nANTHROPIC_API_KEY=made-up-key\n',
    'tell.mjs': tell,
  })
  const { agent, given, problems } = await project.load()
  if (agent === null) throw new Error(JSON.stringify(problems))
  const hooks = createAgentHooks({
    dataDir: join(project.folder, '..', 'data'),
    logger: silentLogger,
    redact: (text) => text,
    path: `${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`,
    hookSecrets: async () => given.reveal().hooks,
  })
  return { project, output: await hooks(agent).run('PreToolUse', { tool_name: 'Bash', tool_input: {} }, context) }
}

it('hooks[].env: a script sees what it is given of the .env beside the file, and nothing else of it', async () => {
  const { output } = await seen('args: [tell.mjs], env: [GIVEN]')
  expect(output.env).toMatchObject({ GIVEN: 'one' })
  expect(JSON.stringify(output.env)).not.toMatch(/KEPT|made-up/)
  const none = await seen('args: [tell.mjs]')
  expect(JSON.stringify(none.output.env)).not.toMatch(/GIVEN|KEPT|made-up/)
})

it('a script cannot read the .env beside the file', async (test) => {
  if (!(await probeIsolation()).hidesFiles) return test.skip()
  const { output } = await seen('args: [tell.mjs], env: [GIVEN]')
  expect(JSON.stringify(output)).not.toMatch(/KEPT|made-up/)
})

it('hooks[].args: reach a script, which works in the folder of the file', async () => {
  const { output, project } = await seen("args: [tell.mjs, '--all', two words]")
  expect(output).toMatchObject({ args: ['--all', 'two words'], cwd: project.folder })
})
