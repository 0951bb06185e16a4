// `hooks:` from the text of an agent file to the environment of its scripts.
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

/** The environment of a script of this hook, beside a larger .env file. */
async function seen(fields: string) {
  const hook = `hooks:\n  - { event: PreToolUse, action: script, command: node, ${fields} }\n`
  const project = await tempProject({
    'agent.yaml': `${minimalAgent}${hook}`,
    '.env': 'GIVEN=one\nKEPT=made-up-token\nANTHROPIC_API_KEY=made-up-key\n',
    'tell.mjs': tell,
  })
  const { agent, passedValues, problems } = await project.load()
  if (agent === null) throw new Error(JSON.stringify(problems))
  const hooks = createAgentHooks({
    dataDir: join(project.folder, '..', 'data'),
    logger: silentLogger,
    redact: (text) => text,
    path: `${join(process.execPath, '..')}:/usr/local/bin:/usr/bin:/bin`,
    hookSecrets: async () => passedValues.reveal().hooks,
  })
  return { project, output: await hooks(agent).run('PreToolUse', { tool_name: 'Bash', tool_input: {} }, context) }
}

it('hooks[].env: a script gets only its declared variables of the .env file', async () => {
  const { output } = await seen('args: [tell.mjs], env: [GIVEN]')
  expect(output.env).toMatchObject({ GIVEN: 'one' })
  expect(JSON.stringify(output.env)).not.toMatch(/KEPT|made-up/)
  const none = await seen('args: [tell.mjs]')
  expect(JSON.stringify(none.output.env)).not.toMatch(/GIVEN|KEPT|made-up/)
})

it('a script cannot read the .env file', async (test) => {
  if (!(await probeIsolation()).hidesFiles) return test.skip()
  const { output } = await seen('args: [tell.mjs], env: [GIVEN]')
  expect(JSON.stringify(output)).not.toMatch(/KEPT|made-up/)
})

it('hooks[].args: are passed to a script, which runs in the folder of the file', async () => {
  const { output, project } = await seen("args: [tell.mjs, '--all', two words]")
  expect(output).toMatchObject({ args: ['--all', 'two words'], cwd: project.folder })
})
